# Three threads in one loop, each an instruction behind the one before.
        .globl _start
_start: la a0, work
        trunall a0, zero, 0
        tsync
        li a0, 0
        li a7, 93
        ecall
work:   beqz a1, begin
        addi a1, a1, -1
        beqz a1, begin
        nop
begin:  li t0, 100000
loop:   addi a0, a0, 1
        addi t0, t0, -1
        bnez t0, loop
        texit zero
