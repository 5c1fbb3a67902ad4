# The class atomic: each instruction needs the result of the one before.
        .include "calibrate.inc"
        kernel
        la      a0, memory
        li      a1, 1
        mark
        settle  a1
        .rept   4
        amoadd.d a1, a1, (a0)
        .endr
        mark
        end_kernel
