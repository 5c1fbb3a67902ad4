# Simple code of a program that becomes native code ends where control never came: the block after a branch that is always taken is not made.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu -v %t 2>&1 | FileCheck %s
# CHECK: made 3 instructions native code

        .globl _start
_start: li      s0, 200
loop:   bnez    s0, next
        addi    a0, a0, 1
        addi    a0, a0, 2
        addi    a0, a0, 3
        ret
next:   addi    s0, s0, -1
        bnez    s0, loop
        li      a0, 0
        li      a7, 93
        ecall
