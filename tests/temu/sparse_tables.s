# The definition of sconf looks for tables that overlap in time that does not grow with the square of their number: 30,000 tables in
# an order of their own. The lowest base that lies in another table is the value of the fault, by the definition and by the unit.
# RUN: %tasm -march=rv64g_xsparse -o %t.o %s && %tld -o %t %t.o
# RUN: sh -c 'ulimit -t 8; %temu --reference %t && %temu %t'
# RUN: %tasm -march=rv64g_xsparse --defsym FAULT=1 -o %t.o %s && %tld -o %t %t.o
# RUN: not %temu --reference %t > %t.definition 2>&1; not %temu %t > %t.unit 2>&1; diff %t.definition %t.unit && FileCheck %s < %t.unit
# CHECK: tensor configuration fault
# CHECK: the table at 0x{{[0-9a-f]+}} begins within another one

    .ifndef FAULT
    .equ FAULT, 0
    .endif
    .equ TABLES, 30000
    .globl _start
_start:
    la a0, descriptor
    sconf a0
    li a0, 0
    li a7, 93
    ecall
    .data
    .balign 8
descriptor:
    .byte 0, 0                                  # mesh, packets
    .half 1, 1, 1                               # rows, columns, fetch processors
    .word TABLES, 0
    .word 0, TABLES
    .set i, 0
    .rept TABLES
    .dword tables + (i * 7919 % TABLES) * 4
    .word 1, 1, 5, 4 - FAULT * (i % 10000 == 5) # a shape of 1 x 1, i8, elements; what is true is -1
    .word 0, 4 - FAULT * (i % 10000 == 5)
    .set i, i + 1
    .endr
tables:
    .zero 4 * TABLES + 4
