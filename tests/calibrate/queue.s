# K1: entries of the instruction queue. A long product is followed by more products of nothing than both queues can hold, and by
# instructions of the scalar core.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, 2048
        fence
        mm.f32  a0, a1, a1, a2, 1, 1
        .rept   520
        mm.f32  a0, a1, a1, 0, 0, 0
        .endr
        .rept   600
        nop
        .endr
        end_kernel
