# The handler of a signal changes a register that is in no context of a signal: the change stays. The status is 7.
    .globl _start
_start:
    li a0, 10
    la a1, action
    li a2, 0
    li a3, 8
    li a7, 134          # rt_sigaction
    ecall
    li a7, 172          # getpid
    ecall
    li a1, 10
    li t0, 5
    q.set q1, t0
    li a7, 129          # kill
    ecall
    q.get a0, q1
    add a0, a0, t0
    addi a0, a0, -5
    li a7, 93
    ecall
handler:
    li t0, 7
    q.set q1, t0
    ret
    .data
    .balign 8
action:
    .dword handler, 0, 0
