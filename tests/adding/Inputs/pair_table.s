# Configures a table whose element type has the number of a pair in definitions, or with NUMBER that of f32.
        .globl  _start
_start: la      a0, descriptor
        sconf   a0
        li      a0, 0
        li      a7, 93
        ecall
        .data
        .balign 8
descriptor:
        .half   0, 1, 1, 1, 1, 0, 0, 0
        .dword  1 << 32, table
        .word   1, 1
        .ifdef  NUMBER
        .word   0
        .else
        .word   256 + 14
        .endif
        .word   1, 0, 1
table:  .zero   16
