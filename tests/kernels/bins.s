# The golden values of the histogram unit: four bins and four f32 values in one instruction.
#
#     bin       threshold, range         1.0  -1.5  0.5  4.0     counts
#     05fc0000  127, 1: 127               x     x                 2
#     01fc0000  127, 0: up to 127         x     x    x            3
#     3dfc0000  127, 15: from 127 on      x     x         x       3
#     39e00000  120, 14: 120 to 133       x     x    x    x       4
#
# Exponents are biased by 127: those of the values are 127, 127, 126 and 129.
#
# By hand: tasm -o b.o bins.s && tld -o b b.o && temu --print bins:u32[4]:hex b
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print bins:u32[4]:hex --print full:u32[4]:hex --trace=%t.trace %t > %t.out
# RUN: FileCheck %s < %t.out
# RUN: %python %tools/golden.py %S/bins.expected %t.out
# RUN: %python %tools/golden.py %S/bins.trace %t.trace
#
# CHECK-LABEL: bins
# CHECK:       0x05fc0002, 0x01fc0003, 0x3dfc0003, 0x39e00004
# CHECK-LABEL: full
# CHECK:       0x3c03ffff, 0x3c03ffff, 0xbc000003, 0xfc000001

        .equ    EXIT, 93

# Loads four words from a symbol into a group of registers.
        .macro  load symbol, first, second, third, fourth
        la      a0, \symbol
        flw     \first, 0(a0)
        flw     \second, 4(a0)
        flw     \third, 8(a0)
        flw     \fourth, 12(a0)
        .endm

        .macro  store symbol, first, second, third, fourth
        la      a0, \symbol
        fsw     \first, 0(a0)
        fsw     \second, 4(a0)
        fsw     \third, 8(a0)
        fsw     \fourth, 12(a0)
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        load    values, fa2, fa3, fa4, fa5
        load    bins, fs0, fs1, fa0, fa1
        f32v4hist fs0:fa1, fa2:fa5      # f8:f11, f12:f15 by their ABI names
        store   bins, fs0, fs1, fa0, fa1

        # A bin that is full counts no more; signs.
        load    full, f16, f17, f18, f19
        f32v4hist f16:f19, f12:f15
        store   full, f16, f17, f18, f19

        li      a0, 0
        li      a7, EXIT
        ecall
        .size   _start, . - _start

        .data
        .balign 4
values: .float  1.0, -1.5, 0.5, 4.0
        .type   bins, @object
bins:   .word   0x05fc0000, 0x01fc0000, 0x3dfc0000, 0x39e00000
        .size   bins, . - bins
        .type   full, @object
full:   .word   0x3c03ffff              # 262143, full
        .word   0x3c03fffd              # two short of it, for four values
        .word   0xbc000000              # only positive ones
        .word   0xfc000000              # only negative ones
        .size   full, . - full
