# Two stores in a row fault, in each round of a loop. The handler goes on after them, and has more than eight instructions, for which native code is entered.
        .globl _start
        .option norvc
_start: li a0, 11
        la a1, action
        li a2, 0
        li a3, 8
        li a7, 134 # rt_sigaction
        ecall
        li s0, 1000
        li s1, 0
loop:   addi s1, s1, 1
        sd s1, 8(zero)
        sd s1, 16(zero)
        addi s1, s1, 1
        addi s0, s0, -1
        bnez s0, loop
        li a0, 0
        li a7, 93
        ecall

handler:
        li t2, 4
1:      addi t2, t2, -1
        bnez t2, 1b
        ld t0, 176(a2) # the pc
        addi t0, t0, 4
        sd t0, 176(a2)
        ret

        .data
action: .dword handler, 4, 0, 0
