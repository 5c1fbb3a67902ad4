# The class float: each instruction needs the result of the one before.
        .include "calibrate.inc"
        kernel
        li      a0, 0
        mark
        settle  a0
        fmv.w.x fa0, a0
        .rept   4
        fadd.s  fa0, fa0, fa0
        .endr
        mark
        end_kernel
