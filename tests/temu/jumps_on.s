# Jumps to the next instruction, as compilers write them without optimization, are native code where it counts for statistics, profiles and cycles, too. (Control once left it at each of them.)
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu -v --stats=%t.stats %t 2>&1 | FileCheck %s
# RUN: %temu -v --profile=%t.profile %t 2>&1 | FileCheck %s
# RUN: %temu -v --timing --timing-file=%t.timing %t 2>&1 | FileCheck %s
# CHECK: made {{[1-9][0-9]?}} instructions native code, in {{[1-9][0-9]?[0-9]?}} visits
# RUN: FileCheck %s --check-prefix=TIMING < %t.timing
# TIMING: 1400005 cycles, 600005 instructions

        .globl _start
_start: li      s0, 100000
loop:   j       1f
1:      .option push
        .option norvc
        j       2f
        .option pop
2:      addi    a1, a1, 1
        jal     t1, 4f
4:      addi    s0, s0, -1
        bnez    s0, loop
        li      a0, 0
        li      a7, 93
        ecall
