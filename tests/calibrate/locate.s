# K6: when the first address of a walk is ready.
        .include "calibrate.inc"
        kernel
        la      a0, memory
        li      a1, 1024
        tset.step 0, 0, 4
        tset.end 0, 0, a1
        mark
        settle  a0
        tbase   0, a0
        tinit   0
        tflw    fa0, 0
        fmv.x.w a2, fa0
        settle  a2
        mark
        end_kernel
