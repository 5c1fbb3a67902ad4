# A worker in a loop, which then jumps to the address 4 GiB after the loop, where there is nothing.
        .include "all_work.inc"
work:   la s1, loop
        li s2, 3
again:  li s0, 5000
loop:   addi a0, a0, 1
        addi s0, s0, -1
        beqz s0, over
        jr s1
over:   addi s2, s2, -1
        bnez s2, again
        li t0, 1
        slli t0, t0, 32
        add s1, s1, t0
        j again
