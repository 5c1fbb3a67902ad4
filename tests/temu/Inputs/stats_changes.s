# Instructions that take each other's place: each of ten rounds executes `first` eight times, exchanges it for `second`, of another
# number, executes that eight times, and changes it back.
        .globl  _start
_start: li      s0, 10
        lla     s1, place
        lwu     s2, (s1)
        lla     t0, second
        lwu     s3, (t0)
1:      call    repeat
        sw      s3, (s1)
        fence.i
        call    repeat
        sw      s2, (s1)
        fence.i
        addi    s0, s0, -1
        bnez    s0, 1b
        li      a0, 0
        li      a7, 93
        ecall
repeat: li      t1, 8
2:
        .option push
        .option norvc
place:  xori    a1, a1, 5       # first
        .option pop
        addi    t1, t1, -1
        bnez    t1, 2b
        ret
        .option norvc
second: ori     a1, a1, 6
