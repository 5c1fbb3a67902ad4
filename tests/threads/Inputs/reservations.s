# Each odd worker stores to what the even worker before it has reserved, or beside it: KIND 0 the same value, 1 an atomic operation that changes nothing,
# 2 the other half of the doubleword, 3 the next doubleword, 4 an sc. The even workers count how often sc succeeds.
        .globl _start
_start: la a0, work
        la a1, words
        trunall a0, a1, 0
        tsync
        li a0, 0
        li a7, 93
        ecall
work:   srli t0, a1, 1          # a pair of workers has a line
        slli t0, t0, 6
        add a0, a0, t0
        andi t0, a1, 1
        li t1, 200
        bnez t0, other
        li t4, 0
1:      lr.d t0, (a0)
        andi t2, t1, 15
2:      addi t2, t2, -1
        bgtz t2, 2b
        sc.d t3, t0, (a0)
        seqz t3, t3
        add t4, t4, t3
        addi t1, t1, -1
        bnez t1, 1b
        sd t4, 32(a0)
        texit zero
other:  li t5, 13
3:      remu t2, t1, t5
4:      addi t2, t2, -1
        bgtz t2, 4b
        .if KIND == 0
        sd zero, 0(a0)
        .elseif KIND == 1
        amoor.w zero, zero, (a0)
        .elseif KIND == 2
        sh zero, 6(a0)
        .elseif KIND == 3
        sd zero, 8(a0)
        .else
        lr.d t0, (a0)
        sc.d zero, t0, (a0)
        .endif
        addi t1, t1, -1
        bnez t1, 3b
        texit zero
        .data
        .balign 64
words:  .zero 64 * 4
