# Twenty threads in a loop of 59 instructions: a path of 1180 turns. At the end of a slice, fewer than these are left, but more than between two looks for native code.
        .globl _start
_start: la a0, work
        trunall a0, zero, 0
        tsync
        li a0, 0
        li a7, 93
        ecall
work:   li s0, 100000
loop:   .rept 57
        addi t1, t1, 3
        .endr
        addi s0, s0, -1
        bnez s0, loop
        texit zero
