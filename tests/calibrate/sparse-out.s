# K8: the way to memory, and decoding. Pairs of descriptors of which the second one is longer: 2 to 64 tables, and to
# 256 in steps of 4.
        .include "calibrate.inc"
        .include "tensor.inc"
        .macro  network tables
        .balign 8
        .byte   0, 0
        .half   1, 1, 1
        .word   \tables, 0
        sparse_partition \tables, 1
        .set    place, 0
        .rept   \tables
        sparse_table elements + place, 1, 1, 5, 1, 1
        .set    place, place + 1
        .endr
        .endm
        .macro  configure tables
        fence
        la      a0, .Lone
        settle  a0
        sconf   a0
        fence
        la      a0, .Lmany\@
        settle  a0
        sconf   a0
        .pushsection .rodata
        .balign 8
.Lmany\@:
        network \tables
        .popsection
        .endm
        kernel
        .set    count, 2
        .rept   63
        configure count
        .set    count, count + 1
        .endr
        .set    count, 68
        .rept   48
        configure count
        .set    count, count + 4
        .endr
        end_kernel
        .section .rodata
        .balign 8
.Lone:  network 1
        .balign 8
elements:
        .fill   256, 1, 1
