# K3: what may leave the storage queue. The second product needs what the transfer reads, the third one depends on nothing.
        .include "calibrate.inc"
        kernel
        li      a0, SCRATCHPAD
        la      a1, memory
        li      a2, 4096
        li      a3, 1
        li      s0, SCRATCHPAD + 0x10000
        li      s1, SCRATCHPAD + 0x20000
        li      s2, SCRATCHPAD + 0x30000
        li      s3, SCRATCHPAD + 0x40000
        li      s4, 128
        fence
        dma.ld2 a0, a1, a2, a3, a3
        mm.f32  s0, s3, s3, s4, 1, 1
        mm.f32  s1, a0, s3, s4, 1, 1
        mm.f32  s2, s3, s3, s4, 1, 1
        end_kernel
