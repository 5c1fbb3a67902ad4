# A walk that ends too early unless END is 28: the loads, and the number of steps, come from the end that was set before.
        .ifndef END
        .equ    END, 12
        .endif
        .data
        .balign 8
numbers: .float 1, 2, 3, 4, 5, 6, 7, 8
        .text
        .globl  _start
_start: la      a0, numbers
        li      a1, END
        tbase   1, a0
        tset.step 1, 0, 4
        tset.end 1, 0, a1
        tinit   1
        li      s0, 1
        tdone   t0, 1
1:      tflw    fa0, 1
        tdone   t0, s0                  # the row may be in a register
        beqz    t0, 1b
        li      a0, 0
        li      a7, 93
        ecall
