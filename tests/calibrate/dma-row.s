# K5: a tile of two rows.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        la      a1, memory
        li      a2, 2
        li      a3, 1
        li      a4, 4096
        fence
        dma.ld2 a0, a1, a2, a3, a4
        end_kernel
