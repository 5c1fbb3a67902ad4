# Arrays that a product, a conversion and a transfer write.
        .section .spm.bss, "aw", @nobits
        .balign 4
a:      .zero 256
b:      .zero 256
        .globl product
product: .zero 256
narrow: .zero 256
        .data
        .balign 8
        .globl copy
copy:   .zero 256
        .text
        .globl _start
_start: la a0, product
        la a1, a
        la a2, b
        li a3, 3
        li a4, 5
        mm.f16 a0, a1, a2, a3, 2, a4    # 3 x 5 of f32
        la a5, narrow
        mcvt.f16.f32 a5, a0, 15
        la a6, copy
        li a7, 60
        dma.st a0, a6, a7
        sh zero, 0(a0)
        li a0, 0
        li a7, 93
        ecall
