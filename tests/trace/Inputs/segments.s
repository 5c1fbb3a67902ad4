# Stores to a few words in several segments of a trace, of 2 and 4 bytes, some to the same bytes; two words are not written.
        .globl  _start
_start: la      a0, words
        li      a1, 8
        li      t0, 0x10001
1:      sw      t0, 0(a0)
        addi    a0, a0, 4
        addi    a1, a1, -1
        bnez    a1, 1b
        li      a2, 2
pass:   li      a1, 100000
1:      addi    a1, a1, -1
        bnez    a1, 1b
        la      a0, words
        sh      a2, 2(a0)
        sh      a2, 8(a0)
        addi    a2, a2, 1
        sh      a2, 8(a0)
        li      t1, 4
        bne     a2, t1, pass
        li      a0, 0
        li      a7, 93
        ecall
        .bss
words:  .zero   40
