# Work for the threads of a barrel: loads, stores, arithmetic and a branch. Each worker does it; with ONE, the only thread.
        .globl _start
_start: la      a0, work
        la      a1, words
        .ifdef  ONE
        mv      a0, a1
        li      a1, 0
        call    body
        .else
        li      t0, 512
        trunall a0, a1, t0
        tsync
        .endif
        li      a0, 0
        li      a7, 93
        ecall
work:   call    body
        texit   zero

body:   li      t0, 3000000
        li      t1, 0
1:      andi    t2, t0, 63
        slli    t2, t2, 3
        add     t2, t2, a0
        ld      t3, 0(t2)
        add     t3, t3, t0
        xor     t1, t1, t3
        sd      t3, 0(t2)
        srli    t4, t1, 7
        add     t1, t1, t4
        addi    t0, t0, -1
        bnez    t0, 1b
        ret

        .bss
        .balign 64
words:  .zero   64 * 512
