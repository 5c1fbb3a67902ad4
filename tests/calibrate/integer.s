# The class integer: each instruction needs the result of the one before.
        .include "calibrate.inc"
        kernel
        li      a0, 1
        mark
        .rept   4
        addi    a0, a0, 1
        .endr
        mark
        end_kernel
