# tdiff parses only lines that differ: one that is malformed alike in both traces is passed over, one that is malformed in one of them is an error.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --trace=%t.a %t
# RUN: sed '3s/a0=/a0:/' %t.a >%t.b && not cmp -s %t.a %t.b
# RUN: cp %t.b %t.c && %tdiff %t.b %t.c
# RUN: sh -c '%tdiff %t.a %t.b; test $? = 2' 2>&1 | FileCheck %s
# CHECK: .b:3:{{[0-9]+}}: error: found 'a0:{{.*}}', expected an effect

        .text
        .globl  _start
_start: li      t0, 1
        li      a0, 0
        li      a7, 93
        ecall
