# K1: instructions that can be decoded while an older one is not committed. A long product, and more instructions than the window can hold.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, 2048
        fence
        mm.f32  a0, a1, a1, a2, 1, 1
        .rept   1100
        nop
        .endr
        end_kernel
