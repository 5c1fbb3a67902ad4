# Three threads that write to words of their own. They do not wait for each other; the last one ends the program.
        .set    SYS_exit, 93
        .set    SYS_clone, 220
        .set    CLONE_THREAD_FLAGS, 0x50f00

        .globl  _start
_start: la      a1, words
        la      a2, steps
        call    begin
        call    begin
        la      a2, steps
        addi    a1, a1, 64
        j       work
begin:  li      a0, CLONE_THREAD_FLAGS
        mv      s1, a1
        addi    s2, a2, 4
        li      a1, 0
        li      a7, SYS_clone
        ecall
        mv      a1, s1
        mv      a2, s2
        addi    a1, a1, 64
        beqz    a0, work
        ret
work:   li      t1, 15
        lw      t0, 0(a2)
        li      a0, 0
again:  addi    t1, t1, -1
        nop
        add     a0, a0, t0
        sw      a0, 0(a1)
        addi    a1, a1, 4
        bnez    t1, again
        li      a0, 0
        li      a7, SYS_exit
        ecall
        .data
steps:  .word   1, 2, 3
        .bss
words:  .space  4096
