# Products of a 4 × 8 matrix and 240 vectors. The matrix stands in the shared weights, which the supervisor loads once; each worker takes every K-th
# vector. A set of 16 weights is a 4 × 4 block, so a product is two f32v4wmac.
#
# matrix     f32[4][8]
# vectors    f32[240][8]
# products   f32[240][4]
        .equ    VECTORS, 240

        .text
        .globl  _start
_start: la      a0, matrix
        .set    i, 0
        .rept   4                       # row i
        .set    j, 0
        .rept   8                       # column j
        flw     fa0, 4 * (8 * i + j)(a0)
        wput    16 * (j / 4) + 4 * i + j % 4, fa0
        .set    j, j + 1
        .endr
        .set    i, i + 1
        .endr
        la      a0, work
        trunall a0, zero, 0
        tsync
        li      a0, 0
        li      a7, 93
        ecall

work:   csrr    s0, tworkers
        la      s1, vectors
        la      s2, products
        li      s3, VECTORS
        j       2f
1:      slli    t0, a1, 5
        add     t0, t0, s1
        slli    t1, a1, 4
        add     t1, t1, s2
        .irp    k, 0, 1, 2, 3
        fmv.w.x f\k, zero
        .endr
        .irp    k, 4, 5, 6, 7, 8, 9, 10, 11
        .equ    at, \k - 4
        flw     f\k, 4 * at(t0)
        .endr
        f32v4wmac f0:f3, f4:f7, 0
        f32v4wmac f0:f3, f8:f11, 1
        .irp    k, 0, 1, 2, 3
        .equ    at, \k
        fsw     f\k, 4 * at(t1)
        .endr
        add     a1, a1, s0
2:      bltu    a1, s3, 1b
        li      t0, 0
        texit   t0

        .data
        .balign 64
matrix: .zero   4 * 4 * 8
vectors:
        .zero   4 * 8 * VECTORS
products:
        .zero   4 * 4 * VECTORS
