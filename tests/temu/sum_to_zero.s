# A sum that goes to x0, of a register whose accesses were checked, says nothing about other code of its run: the branch before it still
# leads to its target.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %python %tools/tiers.py %temu --insns 40,4000 --print 'count:u64[1]' %t
# RUN: %temu --print 'count:u64[1]' %t | FileCheck %s
# CHECK: count:u64[1] = {{.*}}500
# RUN: %qemu %t

        .globl _start
_start: la      s0, count
        li      s1, 1000
loop:   ld      a0, 0(s0)
        andi    a1, s1, 7
        li      a2, 4
        bge     a1, a2, skip
        addi    zero, s0, 8
        j       next
skip:   addi    a0, a0, 1
        sd      a0, 0(s0)
next:   addi    s1, s1, -1
        bnez    s1, loop
        ld      a0, 0(s0)
        addi    a0, a0, -500
        li      a7, 93
        ecall
        .data
        .balign 8
count:  .dword 0
