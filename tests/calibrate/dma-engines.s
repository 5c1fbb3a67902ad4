# K5: 2 to 9 transfers that do not depend on each other, and 20.
        .include "calibrate.inc"
        .set    place, 0
        .macro  place register
        li      \register, SCRATCHPAD + place * 8192
        .set    place, place + 1
        .endm
        .macro  load registers:vararg
        fence
        .irp    register, \registers
        dma.ld2 \register, a1, a2, a3, a4
        .endr
        .endm
        kernel
        la      a1, memory
        li      a2, 64
        li      a3, 1
        li      a4, 64
        .irp    register, a0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t0, t1, t2, t3, t4, t5, t6, a5
        place   \register
        .endr
        load    a0, s1
        load    a0, s1, s2
        load    a0, s1, s2, s3
        load    a0, s1, s2, s3, s4
        load    a0, s1, s2, s3, s4, s5
        load    a0, s1, s2, s3, s4, s5, s6
        load    a0, s1, s2, s3, s4, s5, s6, s7
        load    a0, s1, s2, s3, s4, s5, s6, s7, s8
        load    a0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t0, t1, t2, t3, t4, t5, t6, a5
        end_kernel
