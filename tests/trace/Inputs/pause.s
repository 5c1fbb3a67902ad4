# Runs 300000 instructions, waits for a byte, and runs as many again.
    .bss
byte:
    .zero 1
    .text
    .globl _start
_start:
    li s0, 2
again:
    li t0, 150000
loop:
    addi t0, t0, -1
    bnez t0, loop
    li a7, 63
    li a0, 0
    la a1, byte
    li a2, 1
    ecall
    addi s0, s0, -1
    bnez s0, again
    li a7, 93
    li a0, 0
    ecall
