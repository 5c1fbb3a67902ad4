# Comparisons that save and restore the flags, as compilers write them.
        .globl _start
_start: la a0, work
        trunall a0, zero, 0
        tsync
        li a0, 0
        li a7, 93
        ecall
work:   li t0, 20000
loop:   fcvt.d.l fa0, t0
        frflags a4
        flt.d a5, fa0, fa1
        fsflags a4
        bnez a5, loop
        addi t0, t0, -1
        bnez t0, loop
        texit zero
