# Loops of bundles, in which threads are in phase at first and not later. With FAULT, the second instruction of a bundle comes to the end of memory,
# with DEVICE it reads the time.
        .globl _start
_start:
.ifdef DEVICE
        li t0, 0x6000
        csrs mstatus, t0 # there are floating-point registers
.endif
        la a0, work
        la a1, data
        trunall a0, a1, 0
        tsync
        li a0, 0
        li a7, 93
        ecall
work:   addi a1, a1, 1
        mul t3, a1, a1
        li t0, 3000
        mv s0, a0
        mv s1, a0
        li s2, 0x200bff8 # mtime
loop:   fadd.d fs1, fs1, fs0
        fld fs0, 0(s0)
        fadd.d fa0, fa0, fs0
        fld fs0, 8(s0)
        fmul.d fa1, fs0, fs0
        addi t3, t3, -1
        fcvt.d.l fa2, t3
        fadd.d fa3, fa3, fa2
        andi t6, t0, 511
        bnez t6, later
        lw t4, 0(s1)
        fadd.d fa4, fa4, fs1
        csrr t5, cycle
        .rept 24 # more than a block: whether the last one may share its turn depends on the next block
        fadd.d ft1, ft1, fa0
        fmul.d ft2, ft2, fa0
        addi t5, t5, 1
        .endr
later:  fadd.d fa5, fa5, fa1
.ifdef FAULT
        fld fa6, 0(s1)
.endif
.ifdef DEVICE
        lw t4, 0(s2)
.endif
        fsgnj.d fa6, fa6, fa6
        addi s1, s1, 8
        addi t0, t0, -1
        fadd.d ft0, ft0, fa3
        bnez t0, loop
        texit zero
        .data
        .balign 4096
data:   .double 1.5, 0.25
.ifdef FAULT
        .zero 4096 - 16
.else
        .zero 32768 - 16
.endif
