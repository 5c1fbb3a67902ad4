# In a loop of two threads, the first one changes an instruction in each round: it is a jump over another one, or an addition, before which the same instructions are executed by
# turns. The loop has a page of its own.
        .option norelax
        .option norvc
        .section .work, "awx", @progbits
        .globl _start
_start: la a0, work
        trunall a0, zero, 1
        tsync
        li a0, 0
        li a7, 93
        ecall

        .balign 4096
add:    addi t4, t4, 1
work:   la t0, changing
        la t1, unused
        lw t2, 0(t0)
        lw t3, add
        xor t2, t2, t3 # changes one into the other
        beqz a1, 1f
        mv t0, t1
1:      li t1, 300
        li t4, 0
        li t5, 0
loop:
changing:
        j 2f
        j 3f
2:      addi t5, t5, 1
3:      lw t3, 0(t0)
        xor t3, t3, t2
        sw t3, 0(t0)
        addi t1, t1, -1
        bnez t1, loop
        la t0, counts
        slli a1, a1, 4
        add t0, t0, a1
        sd t4, 0(t0)
        sd t5, 8(t0)
        texit zero

        .bss
        .balign 8
unused: .zero 8
counts: .zero 32
