# Two workers and the supervisor count in the same registers, each in its own, longer than a segment of a trace.
    .globl _start
_start:
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
    li a0, 0
    li a7, 93
    ecall
first:
    li t0, 30000
    mul t1, a0, a0
1:  add t1, t1, a0
    addi t0, t0, -1
    bnez t0, 1b
    texit zero
