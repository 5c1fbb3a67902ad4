# A loop of many blocks. Their native code stays, so that each instruction is made native once; when the memory for it is full, all
# is made again, with the same result.
# RUN: %tasm --defsym PARTS=1 -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --tier=translate --verbose --print=sum:i64 %t 2>&1 | FileCheck %s
# CHECK-DAG: made {{2[0-9][0-9][0-9][0-9][0-9]}} instructions native code
# CHECK-DAG: sum:i64 = 180001
# RUN: %tasm --defsym PARTS=6 -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --tier=translate --verbose --print=sum:i64 %t 2>&1 | FileCheck --check-prefix=FULL %s
# FULL-DAG: made {{[2-9][0-9][0-9][0-9][0-9][0-9][0-9]}} instructions native code
# FULL-DAG: sum:i64 = 1080001

        .globl  _start
_start: li      s0, 2
        li      a1, 1
again:
        .rept   PARTS
        .rept   30000
        addi    a1, a1, 3
        bltz    a1, 2f; bltz a1, 2f; bltz a1, 2f
        .endr
        j       1f
2:      tail    out
1:
        .endr
        addi    s0, s0, -1
        beqz    s0, out
        tail    again
out:    la      t0, sum
        sd      a1, (t0)
        li      a0, 0
        li      a7, 93
        ecall

        .data
sum:    .dword  0
