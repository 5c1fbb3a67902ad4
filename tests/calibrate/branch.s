# K2: what a taken branch costs.
        .include "calibrate.inc"
        kernel
        li      a0, 1

        mark
        settle  a0
        .rept   8
        bnez    a0, 1f
        nop
1:
        .endr
        mark
        end_kernel
