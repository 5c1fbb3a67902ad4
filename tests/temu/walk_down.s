# A nest that walks from the last element to the first as the manual describes: with start 1 - n and a negative stride, here of rows of four elements.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --print out:u8[12] %t | FileCheck %s
# CHECK: out:u8[12] = [9, 10, 11, 12, 5, 6, 7, 8, 1, 2, 3, 4]

        .globl  _start
_start:
        la      a0, nest
        tnest   0, a0
        la      a1, out
1:
        tlbu    a2, 0
        sb      a2, 0(a1)
        addi    a1, a1, 1
        tdone   a2, 0
        beqz    a2, 1b
        li      a0, 0
        li      a7, 93
        ecall

        .section .rodata
nest:   .word   1, 0
        .byte   0, 2
        .half   1
        .word   0
        .dword  in
        .dword  0, 4, 1
        .dword  1 - 3, 3, -4
in:     .byte   1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12

        .bss
        .type   out, @object
out:    .zero   12
        .size   out, 12
