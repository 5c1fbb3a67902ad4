# The class multiply: each instruction needs the result of the one before.
        .include "calibrate.inc"
        kernel
        li      a0, 1
        mark
        settle  a0
        .rept   4
        mul     a0, a0, a0
        .endr
        mark
        end_kernel
