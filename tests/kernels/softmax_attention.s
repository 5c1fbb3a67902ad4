# Softmax where transformers have it, in the attention of 8 queries to 24 keys of 32 elements:
#
#     weights = softmax(queries * keys / sqrt(32))        row by row: exp(x - max) / sum of exp(x - max)
#     out = weights * values
#
# Units
#   mm.f32        both products; the keys come with a column each (32 x 24)
#   mms.f32       the scores scaled, and each row of weights divided by its sum
#   mmv.f32       all sums at once: the exponentials times a vector of ones
#   tflw, tfsw    the loops over elements; the maximum of a row is broadcast along it by a dimension of stride 0
#   scalar floats maximum, difference, exponential, 1 / sum
#
# Data
#   parameters    main memory: queries (8 x 32 f32), keys (32 x 24), values (24 x 32); the last query is large: its scores reach hundreds,
#                 where exp alone would overflow
#   queries, keys, values       scratchpad: their copies, in this order
#   scores, maxima, weights, sums, out       scratchpad: 8 x 24, 8, 8 x 24, 8, 8 x 32
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py softmax_attention_data %t.dir/softmax_attention.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print weights:f32[8,24] --print out:f32[8,32] --dump weights:768=%t.weights --dump out:1024=%t.dump \
# RUN:     --trace=%t.trace --trace-from=maximum --trace-insns=31 %t > %t.out
# RUN: %python %tools/reference.py softmax_attention %t.weights %t.dump
# RUN: %python %tools/golden.py %S/softmax_attention.expected %t.out
# RUN: %python %tools/golden.py %S/softmax_attention.trace %t.trace
#
# RUN: echo 'matrix: {lanes: 2}' > %t.yaml && %temu --machine %t.yaml --dump weights:768=%t.weights2 --dump out:1024=%t.dump2 %t
# RUN: %python %tools/reference.py softmax_attention --lanes 2 %t.weights2 %t.dump2
# RUN: not cmp -s %t.dump %t.dump2

        .include "tensor.inc"

        .equ    QUERIES, 8
        .equ    KEYS, 24
        .equ    WIDTH, 32
        .equ    UNROLL, 8               # scores in one round of the search for the maximum

        .text
        .globl  _start
        .type   _start, @function
_start:
        float_constants
        dma_in  queries, parameters, FLOAT * WIDTH * (QUERIES + 2 * KEYS)

        la      s0, scores
        la      a1, queries
        la      a2, keys
        mm.f32  s0, a1, a2, QUERIES, WIDTH, KEYS
        la      t0, constants
        flw     fa2, 0(t0)
        li      a3, QUERIES * KEYS
        mms.f32 s0, s0, a3, fa2

        # The largest score of each row. Row 0 walks all scores, row 1 the maxima.
        walk    0, scores, FLOAT, QUERIES * KEYS, 1
        walk    1, maxima, FLOAT, QUERIES, 1
        flw     fa3, 4(t0)              # below everything
maximum:
        fmv.s   fa2, fa3
        li      s1, KEYS / UNROLL
1:
        .rept   UNROLL
        tflw    fa0, 0
        fmax.s  fa2, fa2, fa0
        .endr
        addi    s1, s1, -1
        bnez    s1, 1b
        tfsw    fa2, 1
        until_done 1, maximum

        # weights = exp(scores - maxima): the same maximum for all keys, then the next one.
        walk    0, scores, FLOAT, QUERIES * KEYS, 1
        walk    1, maxima, FLOAT, KEYS, 0, QUERIES, 1
        walk    2, weights, FLOAT, QUERIES * KEYS, 1
2:
        tflw    fa0, 0
        tflw    fa1, 1
        fsub.s  fa0, fa0, fa1
        exponential
        tfsw    fa0, 2
        until_done 2, 2b

        # Every row divided by its sum.
        la      a0, sums
        la      s0, weights
        la      a2, ones
        mmv.f32 a0, QUERIES, s0, a2, KEYS
        walk    0, sums, FLOAT, QUERIES, 1
3:
        tflw    fa0, 0
        fdiv.s  fa0, fs10, fa0          # fs10 is 1
        mms.f32 s0, s0, KEYS, fa0
        addi    s0, s0, FLOAT * KEYS
        until_done 0, 3b

        la      a0, out
        la      a1, weights
        la      a2, values
        mm.f32  a0, a1, a2, QUERIES, KEYS, WIDTH
        exit_program
        .size   _start, . - _start

        float_functions

        .section .rodata
        .balign 4
constants:
        .float  0.17677669529663687     # 1 / sqrt(32)
        .float  -inf
parameters:
        .incbin "softmax_attention.bin"

        .section .spm.data, "aw"
        .balign 4
ones:   .fill   KEYS, FLOAT, 0x3f800000 # 1

        .section .spm.bss, "aw", @nobits
        .balign 4
queries:        .zero   FLOAT * QUERIES * WIDTH
keys:           .zero   FLOAT * WIDTH * KEYS
values:         .zero   FLOAT * KEYS * WIDTH
scores:         .zero   FLOAT * QUERIES * KEYS
maxima:         .zero   FLOAT * QUERIES
        .globl  weights
        .type   weights, @object
weights:        .zero   FLOAT * QUERIES * KEYS
        .size   weights, . - weights
sums:           .zero   FLOAT * QUERIES
        .globl  out
        .type   out, @object
out:            .zero   FLOAT * QUERIES * WIDTH
        .size   out, . - out
