# Data of pairs, in all forms of their directives.
        .globl  _start, a, b, c, d
_start: li      a0, 0
        li      a7, 93
        ecall
        .data
a:      .s8x2   1, -2, -128, 1 << 6 | 63
b:      .u16x2  0x1234, 1, 65535, 0
c:      .e2m1x2 0.5, 1.5
        .balign 8
d:      .dcb.c64 2, 1, -2
        .c64    0f:7fc00000, -inf
        .e2m1x2 0.5, 1.5
        .bss
        .c64    0, 0
        .dcb.c64 2
