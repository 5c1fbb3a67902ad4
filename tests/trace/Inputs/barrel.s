# Two workers and the supervisor count in the same registers, each in its own, longer than a segment of a trace. The workers also raise
# floating-point flags, set the rounding mode and walk, each its own. The first one is started
# again in a segment in which nothing else changes a CSR, and changes none.
    .globl _start
_start:
    csrwi fflags, 4
    csrwi frm, 2
    la a0, first
    li a1, 3
    trun 0, a0, a1
    li a1, 5
    trun 1, a0, a1
    li t0, 20000
    li t1, 0
1:  addi t1, t1, 1
    bne t1, t0, 1b
    tsync
    li t0, 70000
1:  addi t0, t0, -1
    bnez t0, 1b
    li a1, 7
    trun 0, a0, a1
    tsync
    li a0, 0
    li a7, 93
    ecall
first:
    fmv.x.d s10, fs11
    li t0, 15000
    mul t1, a0, a0
    fcvt.s.l fa0, t1
1:  add t1, t1, a0
    addi t0, t0, -1
    bnez t0, 1b
    li t2, 7
    beq a0, t2, 2f
    fcvt.s.l fa1, t0
    li t2, 5
    bne a0, t2, 1f
    fdiv.s fa2, fa0, fa1
    csrwi frm, 3
1:  tset.init 0, 0, a0
2:  li t0, 15000
1:  add t1, t1, a0
    addi t0, t0, -1
    bnez t0, 1b
    li t2, 7
    beq a0, t2, 1f
    li t2, 3
    fcvt.s.l fa1, t2
    fdiv.s fa2, fa0, fa1
1:  texit zero
