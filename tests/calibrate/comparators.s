# K7: how many comparisons the histogram unit makes in a cycle. Pairs of blocks, with one instruction and with two that do not depend on each
# other, of 16, 32 and 64 comparisons. A block waits for the result of its last instruction.
        .include "calibrate.inc"
        .macro  block type, last, two
        fence
        settle  a0
        fmv.w.x f0, a0
        \type   f0:f3, f8:f11
        .ifnb   \two
        \type   f4:f7, f8:f11
        .endif
        fmv.x.w a1, \last
        addi    a1, a1, 1
        addi    a1, a1, 1
        .endm
        kernel
        .irp    type, f32v4hist, f16v8hist, f8v16hist
        block   \type, f0
        block   \type, f4, two
        block   f32v4hist, f0
        block   \type, f0
        .endr
        end_kernel
