# K3: how far ranges are widened. A transfer writes one byte, and a load reads another one, 1, 2, 4 … 2048 bytes after it.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        la      a1, memory
        li      a2, 1
        .set    distance, 1
        .rept   12
        fence
        li      a3, SCRATCHPAD + distance
        settle  a2
        dma.ld  a0, a1, a2
        lbu     a4, 0(a3)
        .set    distance, distance * 2
        .endr
        end_kernel
