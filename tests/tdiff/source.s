# With --elf, the report has the source line of the difference.
#
# RUN: %gas -g -march=rv64imafd -o %t.o %s && %gld -o %t %t.o
# RUN: %temu --trace=%t.a %t 2> %t.err
# RUN: sed 's/ t1=0x7/ t1=0x8/' %t.a > %t.b
# RUN: not %tdiff --elf %t %t.a %t.b > %t.out
# RUN: FileCheck %s < %t.out
# CHECK: pc 0x{{[0-9a-f]+}} <sum+0x4> at {{.*}}source.s:[[# @LINE + 7]]: add t1,t1,t0

        .text
        .globl  _start
_start: li      t0, 3
        li      a0, 0
sum:    li      t1, 4
        add     t1, t1, t0
        li      a7, 93
        ecall
