# K8: an element in a fetch processor. The unit at the way to memory has all elements; one, and eight, are gathered.
        .include "calibrate.inc"
        .include "tensor.inc"
        kernel
        la      a0, network
        sconf   a0
        la      a1, memory
        la      a2, one
        la      a3, eight
        fence
        settle  a2
        sgather zero, a1, a2, 1
        fence
        settle  a3
        sgather zero, a1, a3, 1
        end_kernel
        .section .rodata
        .balign 8
network:
        .byte   0, 0
        .half   1, 1, 1
        .word   1, 0
        sparse_partition 1, 1
        sparse_table elements, 1, 1, 5, 8, 1
elements:
        .fill   8, 1, 1
        .balign 8
one:    .word   0, 0, 1, 0
eight:  .word   0, 0, 8, 0
