# Instructions raise flags at all places of decoded blocks, also at the end. They are executed several times, because only instructions that were observed before are
# logged.
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.text %t && %temu --trace=%t.json %t && %temu --trace=%t.ttrace %t
# RUN: %tdiff %t.text %t.json && %tdiff %t.text %t.ttrace
# RUN: grep -c fdiv.s %t.text | FileCheck %s
# CHECK: 900
.globl _start
_start:
    li a0, 3
    li a1, 1
    fcvt.s.l fa0, a0
    fcvt.s.l fa1, a1
    li s0, 3
again:
.set length, 0
.rept 300
    fsflags zero
    .rept length
    addi a0, a0, 1
    .endr
    fdiv.s fa2, fa1, fa0
    addi a0, a0, 1
    addi a0, a0, 1
    .set length, length + 1
.endr
    addi s0, s0, -1
    beqz s0, done
    j again
done:
    li a0, 0
    li a7, 93
    ecall
