# K4: the adder tree. One mm, and two: the second one begins before the first one ends, by the latency of product, tree and accumulator.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, SCRATCHPAD + 0x20000
        li      a3, 64
        fence
        settle  a3
        mm.f32  a0, a2, a2, a3, 1, 1
        fence
        settle  a3
        mm.f32  a0, a2, a2, a3, 1, 1
        mm.f32  a1, a2, a2, a3, 1, 1
        end_kernel
