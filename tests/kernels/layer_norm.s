# Layer normalization of 8 rows of 64: each row is brought to mean 0 and variance 1, then scaled and shifted element by element,
#
#     out[r][j] = (in[r][j] - mean(r)) / sqrt(variance(r) + 1e-5) * gain[j] + shift[j]
#
# written so that the matrix unit does everything but the root and the division:
#
#     centered = in * (I - 1/64)              the mean leaves all rows in one product: each element loses a 64th of all
#     variance(r) = centered[r] . centered[r] / 64
#     out = [centered / root | 1] * [diagonal of gain; shift]
#
# A row of `centered` has a 65th place for the 1 that takes the shift along.
#
# Units
#   dma.st2       a vector becomes the diagonal of a matrix: pieces of 4 bytes that lie a row and an element apart
#   mm.f32        both products over all rows
#   mmv.f32       the sum of squares: a matrix of one row times itself
#   mms.f32       a row divided by its deviation
#   scalar floats 1 / sqrt(variance + epsilon), once a row
#
# Data
#   parameters    main memory: `in` (8 x 64 f32), gain (64), shift (64)
#   affine        main memory and scratchpad: 65 x 64, the diagonal of the gain, the shift as its last row
#   centering      scratchpad: 64 x 65, the last column 0
#   in, centered, out, squares   scratchpad: 8 x 64, 8 x 65, 8 x 64, 1
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py layer_norm_data %t.dir/layer_norm.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print out:f32[8,64] --dump out:2048=%t.dump --trace=%t.trace --trace-from=normalize --trace-insns=14 %t > %t.out
# RUN: %python %tools/reference.py layer_norm %t.dump
# RUN: %python %tools/golden.py %S/layer_norm.expected %t.out
# RUN: %python %tools/golden.py %S/layer_norm.trace %t.trace
#
# With 8 lanes: 64 elements are eight segments, 65 one more, of which one lane works.
# RUN: echo 'matrix: {lanes: 8}' > %t.yaml && %temu --machine %t.yaml --dump out:2048=%t.dump8 %t
# RUN: %python %tools/reference.py layer_norm --lanes 8 %t.dump8
# RUN: not cmp -s %t.dump %t.dump8

        .include "tensor.inc"

        .equ    ROWS, 8
        .equ    WIDTH, 64
        .equ    PITCH, FLOAT * (WIDTH + 1)      # bytes from row to row of `centered`

        .text
        .globl  _start
        .type   _start, @function
_start:
        # The matrix of the second product: gain on the diagonal, below it the shift.
        dma_in  out, parameters + FLOAT * ROWS * WIDTH, FLOAT * WIDTH
        dma_tile_out diagonal, out, WIDTH, FLOAT, FLOAT * (WIDTH + 1)
        dma_in  affine, diagonal, FLOAT * WIDTH * WIDTH
        dma_in  affine + FLOAT * WIDTH * WIDTH, parameters + FLOAT * (ROWS + 1) * WIDTH, FLOAT * WIDTH

        dma_in  in, parameters, FLOAT * ROWS * WIDTH
        la      s0, centered
        la      a1, in
        la      a2, centering
        mm.f32  s0, a1, a2, ROWS, WIDTH, WIDTH + 1

        la      s1, centered + PITCH * ROWS
        la      s2, squares
        la      t0, constants
        flw     fs0, 0(t0)              # 1 / 64
        flw     fs1, 4(t0)              # epsilon
        flw     fs2, 8(t0)              # 1
normalize:
        mmv.f32 s2, 1, s0, s0, WIDTH
        flw     fa0, (s2)
        fmul.s  fa0, fa0, fs0           # variance
        fadd.s  fa0, fa0, fs1
        fsqrt.s fa0, fa0
        fdiv.s  fa0, fs2, fa0
        mms.f32 s0, s0, WIDTH, fa0
        fsw     fs2, FLOAT * WIDTH(s0)
        addi    s0, s0, PITCH
        bne     s0, s1, normalize

        la      a0, out
        la      a1, centered
        la      a2, affine
        li      a3, WIDTH + 1
        mm.f32  a0, a1, a2, ROWS, a3, WIDTH
        exit_program
        .size   _start, . - _start

        .section .rodata
        .balign 4
constants:
        .float  0.015625, 1e-5, 1.0
parameters:
        .incbin "layer_norm.bin"

        .bss
        .balign 4
diagonal:
        .zero   FLOAT * WIDTH * WIDTH

        .section .spm.data, "aw"
        .balign 4
centering:
        .set    .Lrow, 0
        .rept   WIDTH
        .fill   .Lrow, FLOAT, 0xbc800000                # -1/64
        .float  0.984375                                # 63/64
        .fill   WIDTH - 1 - .Lrow, FLOAT, 0xbc800000
        .float  0
        .set    .Lrow, .Lrow + 1
        .endr

        .section .spm.bss, "aw", @nobits
        .balign 4
affine:         .zero   FLOAT * (WIDTH + 1) * WIDTH
in:             .zero   FLOAT * ROWS * WIDTH
centered:        .zero   PITCH * ROWS
squares:        .zero   FLOAT
        .globl  out
        .type   out, @object
out:            .zero   FLOAT * ROWS * WIDTH
        .size   out, . - out
