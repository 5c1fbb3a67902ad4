# K8: a link. A mesh of one row and two columns, whose second unit has an element of 1 × w bytes; w is 1, and 2 to 64 in steps of 1, to 1024
# in steps of 64, to 4096 in steps of 512.
        .include "calibrate.inc"
        .include "tensor.inc"
        .macro  for_widths macro:vararg
        .set    width, 2
        .rept   63
        \macro
        .set    width, width + 1
        .endr
        .set    width, 128
        .rept   15
        \macro
        .set    width, width + 64
        .endr
        .set    width, 1536
        .rept   6
        \macro
        .set    width, width + 512
        .endr
        .endm
        .macro  gather
        addi    a3, a3, 16
        fence
        settle  a2
        sgather zero, a1, a2, 1
        fence
        settle  a3
        sgather zero, a1, a3, 1
        .endm
        .macro  table
        sparse_table elements + place, 1, width, 5, 2, 2
        .set    place, place + 2 * width
        .endm
        .macro  request
        .set    count, count + 1
        .word   count, 1, 1, 0
        .endm
        kernel
        la      a0, network
        sconf   a0
        la      a1, memory
        la      a2, requests
        mv      a3, a2
        for_widths gather
        end_kernel
        .section .rodata
        .balign 8
network:
        .byte   0, 0
        .half   1, 2, 1
        .word   85, 0
        sparse_partition 85, 1
        sparse_table elements, 1, 1, 5, 2, 2
        .set    place, 2
        for_widths table
        .set    count, 0
        .balign 8
requests:
        .word   0, 1, 1, 0
        for_widths request
        .balign 8
elements:
        .fill   65536, 1, 1
