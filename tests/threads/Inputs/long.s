# A supervisor with long tensor instructions while one of two workers runs, so that each has its turns. It would take minutes.
        .option norelax
        .globl _start
_start: la      a0, work
        li      t0, 0
        trun    t0, a0, zero
        li      s1, 0x40000000
        li      s2, 0x40040000
        li      s3, 0x40080000
        li      a1, 256
        li      s4, 1000000
1:      mm.f32  s3, s1, s2, a1, a1, a1
        addi    s4, s4, -1
        bnez    s4, 1b
        li      a7, 93
        ecall
work:   addi    a3, a3, 1
        j       work
