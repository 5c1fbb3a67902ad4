# Loops of workers and of a supervisor that works in the free slots: arithmetic, memory, calls, floating-point numbers, a division, an atomic counter,
# a shared spin lock and a barrier.
        .globl _start
_start: la s0, words
        la a0, work
        li t0, 3
1:      csrr t1, tworkers           # the first half of the workers, and one at least
        addi t1, t1, 1
        srli t1, t1, 1
        li t2, 0
2:      la a1, words
        trun t2, a0, a1
        addi t2, t2, 1
        bltu t2, t1, 2b
        li a2, 200                  # the supervisor works, too
3:      ld a3, 1024(s0)
        add a3, a3, a2
        mul a3, a3, a2
        sd a3, 1024(s0)
        addi a2, a2, -1
        bnez a2, 3b
        tsync
        addi t0, t0, -1
        bnez t0, 1b
        trunall a0, s0, 0
        tsync
        li a0, 0
        li a7, 93
        ecall

work:   slli s2, a1, 3
        add s2, s2, a0
        li s1, 150
        fcvt.d.w fa0, s1
        fcvt.d.w fa1, a1
1:      fadd.d fa1, fa1, fa0
        fdiv.d fa2, fa1, fa0
        fsd fa2, 512(s2)
        ld t1, 0(s2)
        addi t1, t1, 7
        divu t2, t1, s1
        add t1, t1, t2
        sd t1, 0(s2)
        addi t3, a0, 768
        amoadd.d t4, t1, (t3)
        addi t3, a0, 776            # a lock
2:      lr.d.aq t4, (t3)
        bnez t4, 2b
        li t4, 1
        sc.d t5, t4, (t3)
        bnez t5, 2b
        ld t4, 784(a0)
        xor t4, t4, t1
        sd t4, 784(a0)
        amoswap.d.rl zero, zero, (t3)
        jal t6, 3f
        addi s1, s1, -1
        bnez s1, 1b
        tbar
        texit a1
3:      andi t4, s1, 7
        bnez t4, 4f
        tbar
4:      jr t6

        .data
        .balign 64
words:  .zero 2048
