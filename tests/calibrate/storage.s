# K1: entries of the storage queue. A long product is followed by n products of nothing, which wait for the unit, then by a transfer, which
# passes them unless the storage queue is full, and by a load of what it writes. n is 1 to 256.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        li      a1, SCRATCHPAD + 0x10000
        li      a2, 1024
        li      a3, 1
        li      a6, 512
        la      a4, memory
        li      a5, SCRATCHPAD + 0x20000
        la      s0, transfer - 8        # where one product is left
        li      s1, 256
1:
        fence
        mm.f32  a0, a1, a1, a2, 1, 1
        jr      s0
        .rept   256
        mm.f32  a0, a1, a1, 0, 0, 0
        .endr
transfer:
        dma.ld2 a5, a4, a6, a3, a3
        lbu     t0, 0(a5)
        addi    s0, s0, -8
        addi    s1, s1, -1
        bnez    s1, 1b
        end_kernel
