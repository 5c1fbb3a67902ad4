# Uses every instruction of xhash.yaml. SET is the set of the table; FAULT and OFF end with a trap.
    .globl _start
_start:
    la a0, data
    h.load h1, (a0)
    h.load h0, (a0)
    h.mix h0, h1, 3
    h.self h1
    li a1, 0x1234
    .ifndef SET
    .equ SET, 7
    .endif
    li a2, SET
find:
    h.find a3, a1, a2
    h.find a3, a1, a2
    h.find a4, a0, a2
    csrr a5, hmisses
    csrr a6, hblocks
    li t0, -1
    b.bits b63, t0
    b.bits b0, t0
    b.bits b8, a1
    b.rot4 b8:b11
    b.get s0, b63
    b.get s1, b11
    b.get2 s2, s3, b11
    li a1, -2
    li a2, 3
    h.find a4, a1, a2
    .ifdef FAULT
    li a2, 8
    h.find a4, a0, a2
    .endif
    .ifdef OFF
    csrci harmed, 1
    h.find a4, a0, a2
    .endif
    li a0, 0
    li a7, 93
    ecall
    .data
    .balign 64
data:
    .rept 32
    .word 0x01020304 * 3
    .endr
