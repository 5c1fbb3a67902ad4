# K4: the write port. Pairs of products of which the second one writes more for each row: n up to 1024.
        .include "calibrate.inc"
        .macro  widths first, step, count
        .set    n, \first
        .rept   \count
        fence
        li      a3, 1
        settle  a3
        mm.f32  a0, a1, a2, 1, 1, a3
        fence
        li      a3, n
        settle  a3
        mm.f32  a0, a1, a2, 1, 1, a3
        .set    n, n + \step
        .endr
        .endm
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, SCRATCHPAD + 0x20000
        widths  2, 1, 127
        widths  132, 4, 224
        end_kernel
