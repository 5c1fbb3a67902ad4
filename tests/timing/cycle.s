# Reads of the cycle give the cycle of X, begin regions, and wait for nothing. The counters are those of the report.
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --timing --timing-file=%t.report %t; test $? = 22
# RUN: FileCheck %s < %t.report
# RUN: %temu --timing=json --timing-file=%t.json --timing-from=_start --timing-to=second %t; test $? = 22
# RUN: %python -c "import json; r = json.load(open('%t.json'))['regions']; assert [(x['from'], x['to'], x['cycles'], x['instructions']) for x in r] == [('_start', 'second', 22, 3)], r"
# CHECK: region (start) to _start: 2 cycles, 0 instructions
# CHECK: region _start to second: 22 cycles, 3 instructions
# CHECK-NEXT: front end: issued 3 operand 19
    .globl _start, first, second
_start:
first:
    csrr s0, cycle
    div a0, a1, a2
    addi a0, a0, 1
second:
    csrr s1, cycle
    csrr s2, 0xc06               # operand
    sub a0, s1, s0
    li a7, 93
    li t0, 19
    bne s2, t0, 1f
    ecall
1:  li a0, 99
    ecall
