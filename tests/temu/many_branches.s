# A function with many branches that all lead on in the same way. Runs of native code from each of them would overlap, so code is
# simple where there is much of it: also when little native code was made before, or none, though the program had run for long.
# RUN: %tasm --defsym SPIN=1 -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --verbose --print=sum:i64 %t 2>&1 | FileCheck %s
# RUN: %tasm --defsym SPIN=30000000 -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --verbose --print=sum:i64 %t 2>&1 | FileCheck %s
# CHECK-DAG: made {{[1-9][0-9]?[0-9]?[0-9]?[0-9]?[0-9]?}} instructions native code
# CHECK-DAG: sum:i64 = 4200000

        .globl  _start
_start: li      t1, SPIN
        li      s0, 70
        li      a1, 0
spin:   addi    t1, t1, -1
        bnez    t1, spin
again:  call    function
        addi    s0, s0, -1
        bnez    s0, again
        la      t0, sum
        sd      a1, (t0)
        li      a0, 0
        li      a7, 93
        ecall

function:
        .rept   30000
        addi    a1, a1, 2
        bnez    s0, 1f
        addi    a1, a1, 1
1:
        .endr
        ret

        .data
sum:    .dword  0
