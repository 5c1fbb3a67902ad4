# 300 instructions without a jump, in a loop, so that they become several blocks. In native code, a register that the first block does not need gives its place to another one. It is the exit status.
        .globl _start
_start: li a5, 77
        li a7, 172 # getpid
        ecall
        li s0, 2000
loop:   .rept 50
        la t0, from
        lhu t2, 0(t0)
        la t1, to
        sh t2, 0(t1)
        .endr
        addi s0, s0, -1
        bnez s0, again
        mv a0, a5
        li a7, 93
        ecall
again:  j loop
        .data
from:   .dword 1
to:     .dword 0
