# A sum that takes 40 million instructions; exits with 0 when it is right.
_start:
        li      t0, 10000000
        li      t1, 0
1:      xor     t2, t0, t1
        add     t1, t1, t2
        addi    t0, t0, -1
        bnez    t0, 1b
        ld      t2, expected
        xor     a0, t1, t2
        snez    a0, a0
        li      a7, 93
        ecall
        .balign 8
        .globl  _start
expected: .dword 0x54a4aa54aa525529
