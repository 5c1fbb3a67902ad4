# K4: an addition to the accumulator: products of one column, of which the second one has more segments of a row.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, SCRATCHPAD + 0x20000
        li      a3, 528
        li      a4, 1040
        fence
        settle  a3
        mm.i8   a0, a1, a2, 1, a3, 1
        fence
        settle  a4
        mm.i8   a0, a1, a2, 1, a4, 1
        end_kernel
