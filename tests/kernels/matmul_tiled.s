# c = a * b, tile by tile through the scratchpad: a is 20 x 21, b 21 x 18, and no size is a multiple of the tile.
#
#     for each tile of c:
#         sum = 0
#         for each tile of a in its lines and of b in its columns:
#             sum += tile of a * tile of b
#         tile of c = sum
#
# It shows
#   dma.ld2, dma.st2   a tile of a matrix in main memory into the scratchpad, where it is contiguous, and back
#   mm.f32             the product of two tiles; with k = 0 it writes zeros
#   tset.end, tinit    rows that are set up once and walk tiles of different sizes
#
# Data
#   a, b, c       main memory, row-major f32; a and b are pseudo-random from -1 to 1
#   tile_a, tile_b, product, sum   scratchpad, room for TILE x TILE f32 each
#
# By hand: tasm -o m.o matmul_tiled.s && tld -o m m.o && temu --print c:f32[20,18] m
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print c:f32[20,18] --dump c:1440=%t.dump \
# RUN:     --trace=%t.trace --trace-from=inner --trace-to=accumulate --trace-insns=60 %t > %t.out
# RUN: %python %tools/reference.py matmul_tiled %t.dump
# RUN: %python %tools/golden.py %S/matmul_tiled.expected %t.out
# RUN: %python %tools/golden.py %S/matmul_tiled.trace %t.trace
#
# Tiles that are smaller, as long as a segment of the lanes and longer than the matrices.
# RUN: %tasm --defsym TILE=5 -o %t.o %s && %tld -o %t %t.o && %temu --dump c:1440=%t.dump %t
# RUN: %python %tools/reference.py matmul_tiled --tile 5 %t.dump
# RUN: %tasm --defsym TILE=16 -o %t.o %s && %tld -o %t %t.o && %temu --dump c:1440=%t.dump %t
# RUN: %python %tools/reference.py matmul_tiled --tile 16 %t.dump
# RUN: %tasm --defsym TILE=32 -o %t.o %s && %tld -o %t %t.o && %temu --dump c:1440=%t.dump %t
# RUN: %python %tools/reference.py matmul_tiled --tile 32 %t.dump
# RUN: echo 'matrix: {lanes: 4}' > %t.yaml && %temu --machine %t.yaml --dump c:1440=%t.dump %t
# RUN: %python %tools/reference.py matmul_tiled --tile 32 --lanes 4 %t.dump

        .ifndef TILE
        .equ    TILE, 8
        .endif
        .equ    M, 20
        .equ    K, 21
        .equ    N, 18
        .equ    FLOAT, 4
        .equ    PRODUCT, 0              # rows of the traversal unit: along `product`,
        .equ    SUM_IN, 1               # along `sum` to load
        .equ    SUM_OUT, 2              # and to store
        .equ    EXIT, 93

# rd = how much of a tile is left from `start` to `end`: TILE, or less at the edge.
        .macro  tile_size rd, start, end
        li      \rd, \end
        sub     \rd, \rd, \start
        li      t0, TILE
        ble     \rd, t0, .Lsize\@
        mv      \rd, t0
.Lsize\@:
        .endm

# rd = address of matrix[line][column]
        .macro  element rd, matrix, line, column, columns
        li      t0, \columns
        mul     t0, \line, t0
        add     t0, t0, \column
        slli    t0, t0, 2
        la      \rd, \matrix
        add     \rd, \rd, t0
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        call    fill

        # Base and step never change; the end comes with the size of the tile.
        la      s9, sum
        la      s10, product
        tbase   PRODUCT, s10
        tbase   SUM_IN, s9
        tbase   SUM_OUT, s9
        tset.step PRODUCT, 0, FLOAT
        tset.step SUM_IN, 0, FLOAT
        tset.step SUM_OUT, 0, FLOAT

        li      s0, 0                   # line of the tile in a and c
lines:
        tile_size s3, s0, M
        li      s1, 0                   # column of the tile in b and c
columns:
        tile_size s4, s1, N
        la      s7, tile_a
        la      s8, tile_b
        mm.f32  s9, s7, s8, s3, 0, s4   # sum = 0
        li      s2, 0                   # column in a, line in b
inner:
        tile_size s5, s2, K
        element a0, a, s0, s2, K
        slli    a1, s5, 2
        li      a2, FLOAT * K
        dma.ld2 s7, a0, s3, a1, a2      # s3 lines of s5 values, lines FLOAT * K bytes apart
        element a0, b, s2, s1, N
        slli    a1, s4, 2
        li      a2, FLOAT * N
        dma.ld2 s8, a0, s5, a1, a2
        mm.f32  s10, s7, s8, s3, s5, s4

        mul     a0, s3, s4
        slli    a0, a0, 2
        .irp    row, PRODUCT, SUM_IN, SUM_OUT
        tset.end \row, 0, a0
        tinit   \row
        .endr
accumulate:
        tflw    fa0, SUM_IN
        tflw    fa1, PRODUCT
        fadd.s  fa0, fa0, fa1
        tfsw    fa0, SUM_OUT
        tdone   t0, SUM_OUT
        beqz    t0, accumulate

        li      t0, K
        addi    s2, s2, TILE
        blt     s2, t0, inner

        element a0, c, s0, s1, N
        slli    a1, s4, 2
        li      a2, FLOAT * N
        dma.st2 s9, a0, s3, a1, a2

        li      t0, N
        addi    s1, s1, TILE
        blt     s1, t0, columns
        li      t0, M
        addi    s0, s0, TILE
        blt     s0, t0, lines

        li      a0, 0
        li      a7, EXIT
        ecall
        .size   _start, . - _start

# Fills a and b, which follow each other, from x = 1664525 x + 1013904223 modulo 2^32, starting at 1: signed words times 2^-31.
        .type   fill, @function
fill:
        la      a0, a
        la      a1, c                   # the end
        li      a2, 1
        li      a3, 1664525
        li      a4, 1013904223
        li      t0, 0x30000000          # 2^-31 as f32
        fmv.w.x fa1, t0
1:
        mulw    a2, a2, a3
        addw    a2, a2, a4
        fcvt.s.w fa0, a2
        fmul.s  fa0, fa0, fa1
        fsw     fa0, 0(a0)
        addi    a0, a0, FLOAT
        bne     a0, a1, 1b
        ret
        .size   fill, . - fill

        .bss
        .balign 4
        .type   a, @object
a:      .zero   FLOAT * M * K
        .size   a, . - a
        .type   b, @object
b:      .zero   FLOAT * K * N
        .size   b, . - b
        .type   c, @object
c:      .zero   FLOAT * M * N
        .size   c, . - c

        .section .spm.bss, "aw", @nobits
        .balign 4
tile_a:         .zero   FLOAT * TILE * TILE
tile_b:         .zero   FLOAT * TILE * TILE
product:        .zero   FLOAT * TILE * TILE
sum:            .zero   FLOAT * TILE * TILE
