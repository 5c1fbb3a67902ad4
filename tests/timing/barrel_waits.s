# Workers that have to wait in each round of their loops. With two workers, a thread has each second cycle. The result of a load is usable after three cycles, so one
# turn passes before its use; and one passes after a taken branch, which costs two cycles more than its own. With six, three turns pass before the use of a
# product, which is usable after 20 cycles here: 24 is the next multiple of six. There are 1,000 rounds, and the last branch is not taken.
#
# RUN: printf 'barrel: {workers: 2}\n' > %t.two.yaml && printf 'barrel: {workers: 6}\ntiming: {classes: {multiply: 20}}\n' > %t.six.yaml
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: for options in "" --tier=translate --stats=%t.stats --trace=/dev/null; do %temu --machine=%t.two.yaml --timing $options %t 2>&1 | FileCheck %s --check-prefix=TWO || exit 1; done
# RUN: %temu --machine=%t.two.yaml --timing --verbose %t 2>&1 | FileCheck %s --check-prefix=MADE
# MADE: made {{[1-9][0-9]*}} instructions native code
# TWO: w0: 4004 instructions, issued 4004 branch 999 operand 1000
# TWO: w1: 4004 instructions, issued 4004 branch 999 operand 1000
# RUN: %tasm --defsym MULTIPLY=1 -o %t.o %s && %tld -o %t %t.o
# RUN: for options in "" --tier=translate --stats=%t.stats --trace=/dev/null; do %temu --machine=%t.six.yaml --timing $options %t 2>&1 | FileCheck %s --check-prefix=SIX || exit 1; done
# SIX: w0: 4004 instructions, issued 4004 operand 3000
# SIX: w5: 4004 instructions, issued 4004 operand 3000
        .option norelax
        .globl  _start
_start: la      a0, work
        la      a1, word
        trunall a0, a1, 0
        tsync
        li      a0, 0
        li      a7, 93
        ecall

work:   li      t1, 1000
        li      t2, 3
        nop
1:
        .ifdef  MULTIPLY
        mul     t0, t1, t2
        .else
        lw      t0, 0(a0)
        .endif
        addi    t0, t0, 1
        addi    t1, t1, -1
        bnez    t1, 1b
        texit   zero

        .data
        .balign 8
word:   .word   5
