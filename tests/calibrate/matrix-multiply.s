# K4: a product of elements. One mms, and two: the second one begins `multiply` cycles before the first one ends.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, SCRATCHPAD + 0x20000
        li      a3, 1024
        fence
        settle  a3
        mms.f32 a0, a2, a3, fa0
        fence
        settle  a3
        mms.f32 a0, a2, a3, fa0
        mms.f32 a1, a2, a3, fa0
        end_kernel
