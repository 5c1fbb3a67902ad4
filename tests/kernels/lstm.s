# A cell of long short-term memory, 26-93-61 as in the benchmarks of the Cambricon ISA paper (ISCA 2016): 26 inputs, 93 cells, 61 outputs.
# For each of three inputs x, with the hidden state h and the state of the cells c, both 0 at first:
#
#     (i, f, g, o) = bias + weights * (x, h)                          four gates of 93, one product
#     c = sigmoid(f) * c + sigmoid(i) * tanh(g)
#     h = sigmoid(o) * tanh(c)
#
# and at the end: out = bias + weights * h.
#
# The weights are loaded once. x and h are one vector in memory, so nothing is concatenated; the last line stores h where the next product
# reads it. One row of the traversal unit visits the gates cell by cell: i, f, g and o of a cell are 93 elements apart.
#
# Units: DMA for parameters and inputs, matrix unit for the products, traversal unit for every address, scalar floats for the gates.
#
# Data
#   inputs        main memory: 3 x 26 f32, followed by the parameters of the gates (biases, weights of 372 x 119), and those of the
#                 outputs (biases, weights of 61 x 93)
#   gate_bias, gate_weights   scratchpad
#   x, h          scratchpad: 26 and 93 f32, one after the other
#   gates         scratchpad: 4 x 93; `cells`: 93; `out`: 61
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py lstm_data %t.dir/lstm.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print cells:f32[93] --print h:f32[93] --print out:f32[61] --dump cells:372=%t.cells --dump h:372=%t.h --dump out:244=%t.dump \
# RUN:     --trace=%t.trace --trace-from=cell --trace-insns=60 %t > %t.out
# RUN: %python %tools/reference.py lstm %t.cells %t.h %t.dump
# RUN: %python %tools/golden.py %S/lstm.expected %t.out
# RUN: %python %tools/golden.py %S/lstm.trace %t.trace

        .include "tensor.inc"

        .equ    STEPS, 3
        .equ    INPUTS, 26
        .equ    CELLS, 93
        .equ    OUTPUTS, 61
        .equ    GATES, 4 * CELLS
        .equ    GATE, 0                 # rows of the traversal unit: the gates,
        .equ    BIAS, 1                 # their biases,
        .equ    CELL, 2                 # the cells to load
        .equ    NEW_CELL, 3             # and to store,
        .equ    HIDDEN, 4

# fa0 = the next gate of the cell, through an activation.
        .macro  gate function
        tflw    fa0, GATE
        tflw    fa1, BIAS
        fadd.s  fa0, fa0, fa1
        \function
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        float_constants
        dma_in  gate_bias, gate_parameters, FLOAT * GATES * (1 + INPUTS + CELLS)
        la      s2, inputs
        la      s3, gate_parameters     # the end of the inputs
step:
        la      a0, x
        dma.ld  a0, s2, FLOAT * INPUTS
        addi    s2, s2, FLOAT * INPUTS
        dense   gates, GATES, gate_weights, x, INPUTS + CELLS

        walk    GATE, gates, FLOAT, 4, CELLS, CELLS, 1
        walk    BIAS, gate_bias, FLOAT, 4, CELLS, CELLS, 1
        walk    CELL, cells, FLOAT, CELLS, 1
        walk    NEW_CELL, cells, FLOAT, CELLS, 1
        walk    HIDDEN, h, FLOAT, CELLS, 1
cell:
        gate    sigmoid
        fmv.s   ft2, fa0                # i
        gate    sigmoid
        fmv.s   ft3, fa0                # f
        gate    tanh
        fmv.s   ft4, fa0                # g
        gate    sigmoid
        fmv.s   ft5, fa0                # o
        tflw    fa0, CELL
        fmul.s  fa0, ft3, fa0
        fmul.s  fa1, ft2, ft4
        fadd.s  fa0, fa0, fa1
        tfsw    fa0, NEW_CELL
        tanh
        fmul.s  fa0, ft5, fa0
        tfsw    fa0, HIDDEN
        until_done HIDDEN, cell
        bne     s2, s3, step

        dense_layer out, OUTPUTS, output_parameters, h, CELLS, product, buffer, identity
        exit_program
        .size   _start, . - _start

        float_functions

        .section .rodata
        .balign 4
inputs: .incbin "lstm.bin"
        .equ    gate_parameters, inputs + FLOAT * STEPS * INPUTS
        .equ    output_parameters, gate_parameters + FLOAT * GATES * (1 + INPUTS + CELLS)

        .section .spm.bss, "aw", @nobits
        .balign 4
gate_bias:      .zero   FLOAT * GATES
gate_weights:   .zero   FLOAT * GATES * (INPUTS + CELLS)
x:              .zero   FLOAT * INPUTS
        .globl  h
        .type   h, @object
h:              .zero   FLOAT * CELLS
        .size   h, . - h
gates:          .zero   FLOAT * GATES
        .globl  cells
        .type   cells, @object
cells:          .zero   FLOAT * CELLS
        .size   cells, . - cells
        .globl  out
        .type   out, @object
out:            .zero   FLOAT * OUTPUTS
        .size   out, . - out
product:        .zero   FLOAT * OUTPUTS
buffer:         .zero   FLOAT * OUTPUTS * (1 + CELLS)
