# K5: transfers of 4096 bytes and of twice as many.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        la      a1, memory
        li      a2, 4096
        li      a3, 8192
        fence
        settle  a2
        dma.ld  a0, a1, a2
        fence
        settle  a3
        dma.ld  a0, a1, a3
        end_kernel
