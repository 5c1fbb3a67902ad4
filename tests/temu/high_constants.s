# Constants of 32 bits that are not sign-extended are in native code as what they are, above all addresses of code at 2 GiB and beyond,
# where libraries are; what is loaded from there is not checked again. Longer ones are computed.
# RUN: %tasm -o %t.o %s && %tld -Ttext=0xff7e5000 -o %t %t.o
# RUN: %temu --tier=optimize --show-native=loop %t > %t.shown && FileCheck %s < %t.shown
# RUN: for tier in interp translate auto optimize; do %temu --tier=$tier --dump-state=%t.$tier %t > /dev/null 2>&1; cmp %t.$tier %t.interp || exit 1; done
# CHECK: auipc a1,0x8 [constant]
# CHECK: auipc s9,0x9 [constant]
# CHECK: auipc a4,0x0 [constant]
# CHECK-NOT: check
# CHECK: ld a4,{{[0-9]+}}(a4)
# CHECK: sll a5,a5,0x1f [constant]
# CHECK: sll t3,t3,0x1f [constant]
# CHECK: srl s11,a5,0x1f [constant]
# CHECK-NOT: a6,a6,0x21 [constant]
# CHECK: sll a6,a6,0x21
    .option norelax
    .globl _start
_start:
    li s0, 500
    .balign 4
loop:
    auipc a1, 0x8
    add a2, a2, a1
    auipc s9, 0x9
    xor s10, s10, s9
    auipc a4, 0
    ld a4, value - . + 4(a4)
    add a2, a2, a4
    li a5, 1
    slli a5, a5, 31
    add a2, a2, a5
    li t3, 1
    slli t3, t3, 31
    add t4, t4, t3
    srli s11, a5, 31
    add a2, a2, s11
    li a6, 1
    slli a6, a6, 33
    add a2, a2, a6
    addi s0, s0, -1
    bnez s0, loop
    li a0, 0
    li a7, 93
    ecall
    .balign 8
value: .quad 0x123456789abcdef
