# Atomic accesses in native code, whose value the copier writes to memory: the state at the end is
# that of the interpreter.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp auto translate; do %temu --tier=$tier --dump-state=%t.$tier %t || exit 1; done
# RUN: cmp %t.interp %t.auto && cmp %t.interp %t.translate

        .globl  _start
_start:
        la      a2, word
        la      s2, double
        li      s0, 3000
        li      a1, 1
        li      a5, 0
loop:
        amoadd.w a0, a1, (a2)
        add     a5, a5, a0
        add     a1, a1, a5              # a value that was never in memory
        amoadd.d a3, a1, (s2)
        xor     a5, a5, a3
        addi    a1, a1, 7
        amoswap.d a1, a1, (s2)          # the result in place of the value
        add     a5, a5, a1
        slli    a4, a5, 3
        amomaxu.d zero, a4, (s2)        # no result
        addi    a4, a4, 1
        amoxor.w t0, zero, (a2)         # zero as the value
        add     a5, a5, t0
retry:
        lr.d    a3, (s2)
        add     a3, a3, a4
        sc.d    t1, a3, (s2)
        bnez    t1, retry
        addi    s0, s0, -1
        bnez    s0, loop
        ld      a4, (s2)
        lw      a2, (a2)
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
double: .dword  5
word:   .word   3
