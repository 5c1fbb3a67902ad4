# Calculates with pairs of integers and of numbers of 4 bits, and converts.
        .globl  _start
        .macro  operands first, second
        li      a0, \first
        li      a1, \second
        .endm
_start: operands 0xfe01, 0x0403         # 1-2i, 3+4i
        pair.add s0, a0, a1
        pair.mul s1, a0, a1
        operands 0x0064, 0x0102         # 100, 2+1i: the real part wraps
        pair.mul s2, a0, a1
        operands 0x0301, 0x0a05         # 0.5+1.5i, 3-1i
        pair.mulf s3, a0, a1
        li      a0, 0x7f80              # -128+127i
        pair.wide s4, a0
        li      a0, 0xc2c9000043160000  # 150-100.5i: the real part saturates
        pair.narrow s5, a0
        li      a0, 0x40200000          # 2.5
        pair.pair s6, a0
        li      a0, 0xc00000003fc00000  # 1.5-2i
        pair.real s7, a0
        li      a0, 0
        li      a7, 93
        ecall
