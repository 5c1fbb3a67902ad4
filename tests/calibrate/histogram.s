# The class histogram: each instruction needs the bins of the one before.
        .include "calibrate.inc"
        kernel

        mark
        settle  a0
        fmv.w.x f0, a0
        .rept   4
        f32v4hist f0:f3, f8:f11
        .endr
        mark
        end_kernel
