# A supervisor and workers: each worker waits for a transfer, computes, and waits for the others at the barrier.
    .globl _start
_start:
    la a0, work
    la a1, data
    li a2, 64
    trunall a0, a1, a2
    tsync
    li a7, 93
    li a0, 0
    ecall
work:
    lui t0, 0x40000
    slli t1, a1, 10
    add t0, t0, t1
    dma.ld t0, a0, 8
    lw t1, 0(t0)
    li t2, 50
    addi t2, t2, 50
1:  mul t3, t2, t1
    add t4, t3, t3
    sw t4, 0(a0)
    addi t2, t2, -1
    bnez t2, 1b
    tbar
    mm.f32 t0, t0, t0, 2, 2, 2
    texit zero
    .data
data:
    .fill 256
