# The class store: the value is ready when the instruction before commits.
        .include "calibrate.inc"
        kernel
        la      a0, memory
        mark
        settle  a1
        .rept   2
        addi    a1, a1, 1
        sd      a1, 0(a0)
        .endr
        mark
        end_kernel
