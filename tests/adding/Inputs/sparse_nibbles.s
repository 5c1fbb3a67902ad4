# Gathers three elements of e2m1, whose bytes have bits that are not theirs, and puts them back.
    .globl _start, dense, table
_start:
    la      a0, network
    sconf   a0
    la      a1, dense
    la      a2, request
    sgather a3, a1, a2, 1
    supdate a1, a2, 1
    li      a0, 0
    li      a7, 93
    ecall

    .data
    .balign 8
network:
    .byte   0, 0
    .half   1, 1, 1
    .word   1, 0
    .word   0, 1
    .dword  table
    .word   1, 3, 8, 1
    .word   0, 1
request:
    .word   0, 0, 1, 0
table:
    .byte   0x92, 0x0f, 0xf0
dense:
    .zero   3
