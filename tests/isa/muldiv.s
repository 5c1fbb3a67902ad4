# Every instruction of M with all pairs of boundary values: zero, signs, the ends of 32 and 64 bits. The results go to
# standard output in binary, and must be those of qemu.
#
# RUN: %gas -march=rv64imafd -o %t.o %s && %gld -o %t %t.o
# RUN: %qemu %t > %t.expected
# RUN: %temu %t > %t.actual
# RUN: wc -c < %t.actual | FileCheck %s
# RUN: cmp %t.expected %t.actual
# CHECK: {{^}}26624{{$}}

        .data
        .balign 8
values: .dword  0, 1, -1, 2, -2, 7, -7
        .dword  0x7fffffff, 0x80000000, 0xffffffff
        .dword  0xffffffff80000000, 0x123456789abcdef0
        .dword  0x7fffffffffffffff, 0x8000000000000000
        .dword  0x8000000000000001, 0x100000000
end:
        .bss
        .balign 8
results: .space 26624                   # 16 * 16 pairs, 13 results of 8 bytes
        .text

        .macro  try operation
        \operation a0, s2, s3
        sd      a0, 0(s4)
        addi    s4, s4, 8
        .endm

        .globl  _start
_start: la      s0, values
        la      s5, end
        la      s4, results
outer:  ld      s2, 0(s0)
        la      s1, values
inner:  ld      s3, 0(s1)
        try     mul
        try     mulh
        try     mulhsu
        try     mulhu
        try     div
        try     divu
        try     rem
        try     remu
        try     mulw
        try     divw
        try     divuw
        try     remw
        try     remuw
        addi    s1, s1, 8
        bne     s1, s5, inner
        addi    s0, s0, 8
        bne     s0, s5, outer

        li      a0, 1                   # write(1, results, 26624)
        la      a1, results
        li      a2, 26624
        li      a7, 64
        ecall
        li      a0, 0                   # exit(0)
        li      a7, 93
        ecall
