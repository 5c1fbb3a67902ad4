# Four slots. The workers 0 and 2 go round a loop, and so does the supervisor, first in slot 3, while worker 1 waits at the barrier, then in slot 1, while worker 3 waits.
# Both times the same threads run, but in another order. Worker 2 goes round more often in the end.
        .globl _start
_start: la s1, shared
        la a0, work
        li t0, 0
        trun t0, a0, zero
        li t0, 2
        trun t0, a0, zero
        la a0, wait
        li t0, 1
        trun t0, a0, zero
        call own
        la a0, wait
        li t0, 3
        trun t0, a0, zero
        sd t0, 8(s1)
        call own
        tsync
        li a0, 0
        li a7, 93
        ecall

own:    li t0, 45000
again:  addi t0, t0, -1
        sd t0, (s1)
        xori t1, t0, 5
        bnez t0, again
        ret

wait:   tbar
        texit zero

work:   la s1, shared
        li t0, 30000
        call loop
        tbar
poll:   ld t1, 8(s1)
        beqz t1, poll
        slli t1, a1, 4
        li t0, 25000
        add t0, t0, t1
        call loop
        tbar
        texit zero

loop:   addi t0, t0, -1
        addi a2, a2, 1
        ld t2, (s1)
        xor a3, a3, t2
        bnez t0, loop
        ret

        .bss
        .balign 64
shared: .zero 64
