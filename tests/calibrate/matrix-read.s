# K4: the read port. Pairs of products of which the second one reads more for each row: k = 1 and up to 16 elements, n = 1; then one that
# reads more of the right operand.
        .include "calibrate.inc"
        .macro  product type, k, n
        fence
        settle  a6
        mm.\type a0, a1, a2, a6, \k, \n
        .endm
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, SCRATCHPAD + 0x20000
        li      a3, 512
        li      a4, 128
        li      a6, 1
        li      a5, 1024
        .set    k, 2
        .rept   15
        product f32, 1, 1
        product f32, k, 1
        product i8, 1, 1
        product i8, k, 1
        .set    k, k + 1
        .endr
        product f32, 1, a3
        product f32, 16, a3
        product f32, 1, a4
        product f32, 16, a4
        product i8, 1, a4
        product i8, 16, a4
        .set    k, 2
        .rept   15
        product f32, 1, a5
        product f32, k, a5
        .set    k, k + 1
        .endr
        end_kernel
