# The multi-layer perceptron 64-150-150-14 of the Cambricon ISA paper (ISCA 2016): each layer is
#
#     out[i] = sigmoid(bias[i] + sum over j of weights[i][j] * in[j])
#
# It shows
#   dma.ld        weights from main memory into the scratchpad
#   mmv.f32       the products of a whole layer in one instruction
#   tnest         a loop nest of three arrays from one descriptor: the walk goes through a prologue (the biases), then a
#                 tensor (the products), then an epilogue (the outputs), and nobody counts addresses
#   tset.repeat   a row that walks the same vector twice
#   tflw, tfsw    one instruction per element: load or store at the row's address and step
#   tensor.inc    the sigmoid, and the descriptors of the nests
#
# Data
#   parameters    main memory: the input (64 f32), then for each layer its biases and its weights, row-major, a row an output
#   vector0…2     scratchpad: the input of each layer; `output`: the result (14 f32)
#   weights       scratchpad: weights of the layer at work; `product`: what mmv gives; `sums`: bias, then bias + product
#
# By hand, from a directory of your own:
#   python3 …/tests/tools/reference.py mlp_data mlp.bin        (the parameters: pseudo-random, always the same)
#   tasm -I . -I …/include -o mlp.o …/tests/kernels/mlp.s && tld -o mlp mlp.o && temu --print output:f32[14] mlp
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py mlp_data %t.dir/mlp.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print output:f32[14] --dump output:56=%t.dump --trace=%t.trace --trace-insns=72 %t > %t.out
# RUN: %python %tools/reference.py mlp %t.dump
# RUN: %python %tools/golden.py %S/mlp.expected %t.out
# RUN: %python %tools/golden.py %S/mlp.trace %t.trace
#
# The trace again, from the activation on.
# RUN: %temu --trace=%t.sigmoid --trace-from=activate --trace-insns=36 %t
# RUN: %python %tools/golden.py %S/mlp_sigmoid.trace %t.sigmoid
#
# The number of lanes is part of the arithmetic: other bits with 8 lanes, and those of the reference with 8 lanes.
# RUN: echo 'matrix: {lanes: 8}' > %t.yaml && %temu --machine %t.yaml --dump output:56=%t.dump8 %t
# RUN: %python %tools/reference.py mlp --lanes 8 %t.dump8
# RUN: not cmp -s %t.dump %t.dump8
# RUN: not %python %tools/reference.py mlp %t.dump8 2>&1 | FileCheck --check-prefix=OTHER %s
# OTHER: elements differ
# RUN: for lanes in 1 2 4 32 64; do echo "matrix: {lanes: $lanes}" > %t.yaml || exit 1; \
# RUN:     %temu --machine %t.yaml --dump output:56=%t.lanes %t || exit 1; \
# RUN:     %python %tools/reference.py mlp --lanes $lanes %t.lanes || exit 1; done
#
# A comparison of the traces names the instruction that first gives other bits: the product, not the activation that shows them.
# RUN: echo 'matrix: {lanes: 8}' > %t.yaml && %temu --machine %t.yaml --trace=%t.trace8 --trace-insns=200 %t
# RUN: %temu --trace=%t.trace16 --trace-insns=200 %t
# RUN: not %tdiff %t.trace16 %t.trace8 2>&1 | FileCheck --check-prefix=FIRST %s
# FIRST: first difference
# FIRST-NEXT: <next_layer+0x2e>: mmv.f32 a1,s3,a0,s5,s2
# RUN: %temu --trace=%t.again --trace-insns=200 %t && cmp %t.trace16 %t.again
#
# The number of slaves is not.
# RUN: echo 'matrix: {slaves: 3}' > %t.yaml && %temu --machine %t.yaml --dump output:56=%t.dump3 %t
# RUN: cmp %t.dump %t.dump3

        .include "tensor.inc"

        .equ    NEST, 0                 # rows 0 to 2: prologue, tensor, epilogue
        .equ    SUMS_OUT, 4             # a row that stores to `sums`, twice over
        .equ    SUMS_IN, 5              # and one that loads from it

# One entry of the table of layers: sizes, addresses, and the descriptor that tnest reads.
        .equ    INPUTS, 0
        .equ    OUTPUTS, 8
        .equ    WEIGHTS, 16             # in main memory
        .equ    VECTOR, 24              # the input, in the scratchpad
        .equ    DESCRIPTOR, 32
        .equ    LAYER, 32 + 8 + 3 * (16 + 24)

        .macro  layer inputs, outputs, bias, in, out
        .dword  \inputs, \outputs, \bias + FLOAT * \outputs, \in
        .word   3, 0
        nest_array PROLOGUE, \bias, FLOAT, \outputs, 1
        nest_array TENSOR, product, FLOAT, \outputs, 1
        nest_array EPILOGUE, \out, FLOAT, \outputs, 1
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        float_constants
        la      a0, vector0
        la      a1, parameters
        li      a2, 64 * FLOAT
        dma.ld  a0, a1, a2              # the input of the network
        la      s0, layers
        la      s1, layers_end

next_layer:
        ld      s2, INPUTS(s0)
        ld      s3, OUTPUTS(s0)
        ld      s4, WEIGHTS(s0)
        ld      s5, VECTOR(s0)

        # All products of the layer: product = weights * vector.
        la      a0, weights
        mul     a2, s2, s3
        slli    a2, a2, 2
        dma.ld  a0, s4, a2
        la      a1, product
        mmv.f32 a1, s3, a0, s5, s2

        # Three arrays in one nest; and the sums, which are walked twice: dimension 0 along them, dimension 1 again.
        addi    a0, s0, DESCRIPTOR
        tnest   NEST, a0
        la      a0, sums
        slli    a1, s3, 2
        .irp    row, SUMS_OUT, SUMS_IN
        tclear  \row
        tbase   \row, a0
        tset.step \row, 0, FLOAT
        tset.end  \row, 0, a1
        tset.repeat \row, 1, 2
        tinit   \row
        .endr

        # Prologue: the sums start as the biases.
        mv      s6, s3
bias:
        tflw    fa0, NEST
        tfsw    fa0, SUMS_OUT
        addi    s6, s6, -1
        bnez    s6, bias

        # Tensor: each product joins its sum. The same row number: the walk has gone on by itself.
        mv      s6, s3
accumulate:
        tflw    fa0, SUMS_IN
        tflw    fa1, NEST
        fadd.s  fa0, fa0, fa1
        tfsw    fa0, SUMS_OUT
        addi    s6, s6, -1
        bnez    s6, accumulate

        # Epilogue: the activations are the input of the next layer. tdone knows when the nest is exhausted.
activate:
        tflw    fa0, SUMS_IN
        sigmoid
        tfsw    fa0, NEST
        tdone   t0, NEST
        beqz    t0, activate

        addi    s0, s0, LAYER
        bne     s0, s1, next_layer

        exit_program
        .size   _start, . - _start

        float_functions

        .section .rodata
        .balign 8
        .equ    BIAS0, parameters + FLOAT * 64
        .equ    BIAS1, BIAS0 + FLOAT * (150 + 150 * 64)
        .equ    BIAS2, BIAS1 + FLOAT * (150 + 150 * 150)
layers:
        layer   64, 150, BIAS0, vector0, vector1
        layer   150, 150, BIAS1, vector1, vector2
        layer   150, 14, BIAS2, vector2, output
layers_end:

        .balign 4
parameters:
        .incbin "mlp.bin"

        .section .spm.bss, "aw", @nobits
        .balign 4
vector0:        .zero   FLOAT * 64
vector1:        .zero   FLOAT * 150
vector2:        .zero   FLOAT * 150
        .globl  output
        .type   output, @object
output:         .zero   FLOAT * 14
        .size   output, . - output
product:        .zero   FLOAT * 150
sums:           .zero   FLOAT * 150
weights:        .zero   FLOAT * 150 * 150
