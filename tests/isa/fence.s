# Fences of any fm, rd and rs1. The reserved ones are fences, too, as the manual requires of base implementations and as qemu has it.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %qemu %t
# RUN: for tier in interp translate; do %temu --tier=$tier --trace=%t.$tier %t || exit 1; done
# RUN: FileCheck %s < %t.interp && cmp %t.interp %t.translate
# CHECK-COUNT-240: {{ [0-9a-f]{6}[08]f fence[^|]*$}}

        .globl  _start
_start:
        .set    fm, 0
        .rept   16
        .irp    sets, 0xff, 0x33, 0x31, 0x12, 0x30
        .insn   4, fm << 28 | \sets << 20 | 0x0f
        .insn   4, fm << 28 | \sets << 20 | 0x0f | 10 << 15 | 11 << 7
        .insn   4, fm << 28 | \sets << 20 | 0x0f | 31 << 15
        .endr
        .set    fm, fm + 1
        .endr
        li      a0, 0
        li      a7, 93
        ecall
