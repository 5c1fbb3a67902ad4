# A loop with all that the model of time learns from a log: loads and stores, some while the unit for DMA is at work, a call, branches, jumps to
# the next instruction, and an instruction that raises flags now and then.
        .globl _start
_start: li      s0, 3000
        la      s1, words
        li      t0, 3
        fcvt.s.l fa1, t0
1:      andi    t1, s0, 31
        slli    t1, t1, 3
        add     t1, t1, s1
        ld      t2, 0(t1)
        add     t2, t2, s0
        sd      t2, 0(t1)
        beq     t2, t2, 2f
2:      j       3f
3:      andi    t3, s0, 3
        bnez    t3, 4f
        fcvt.s.l fa0, s0
        fdiv.s  fa2, fa0, fa1
        csrrw   t4, fflags, zero
        li      t6, 0x40000000
        li      a2, 256
        dma.ld  t6, s1, a2
        dma.st  t6, s1, a2
        ld      t2, 0(s1)
        sd      t2, 8(s1)
4:      call    part
        fadd.s  fa3, fa2, fa0
        addi    s0, s0, -1
        bnez    s0, 1b
        li      a0, 0
        li      a7, 93
        ecall
part:   la      t5, 5f
        jr      t5
5:      mul     t5, t2, s0
        xor     t5, t5, t1
        ret

        .bss
        .balign 64
words:  .zero   8 * 32
