# Twenty threads in a loop of 59 instructions: a path of 1180 turns. At the end of a slice, fewer than these are left, but more than between two looks for native code.
        .include "all_work.inc"
work:   li s0, 100000
loop:   .rept 57
        addi t1, t1, 3
        .endr
        addi s0, s0, -1
        bnez s0, loop
        texit zero
