# Groups of registers with zeros, and with another value in the last element only: NaN, and the least number.
    .globl _start
_start:
    la s1, data
    acc.load acc2, (s1)
    addi s1, s1, 64
    acc.load acc3, (s1)
    acc.first a1, acc2:acc3
    p.move p32, 0
    p.move p33, 0
    p.move p34, 0
    p.move p35, 0
    li t0, 127
    x.count t0, p35
    p.first a1, p32:p35
    li a0, 0
    li a7, 93
    ecall
    .data
    .balign 8
data:
    .zero 124
    .word 0x7fc00000
