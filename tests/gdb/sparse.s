# The sparse unit in gdb: its configuration and counters before and after sconf, and a watchpoint on a table that supdate writes.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %python %tools/gdb_session.py %s %t -- %temu >%t.out
# RUN: FileCheck %s <%t.out
#
# GDB: break before
# GDB: continue
# CHECK: Breakpoint 1, {{.*}} in before ()
# GDB: info registers unit_rows tables
# CHECK: unit_rows 0x0 0
# CHECK: tables 0x0 0
# GDB: stepi
# GDB: info registers xsparse
# CHECK: torus 0x1 1
# CHECK: way 0x0 0
# CHECK: unit_rows 0x2 2
# CHECK: unit_columns 0x1 1
# CHECK: fetchers 0x3 3
# CHECK: tables 0x1 1
# GDB: stepi
# GDB: print $shops
# CHECK: $1 = 2
# GDB: watch *(int *)&table
# CHECK: Hardware watchpoint 2: *(int *)&table
# GDB: continue
# CHECK: Hardware watchpoint 2: *(int *)&table
# CHECK: Old value = 5
# CHECK: New value = 6
# GDB: kill

        .globl  _start, table
_start: la      a0, network
        la      a1, dense
        la      a2, request
        la      a3, other
before: sconf   a0
        sgather a0, a1, a2, 1
        supdate a3, a2, 1
        nop
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
network:
        .byte   1, 0
        .half   2, 1, 3
        .word   1, 0
        .word   0, 0, 1
        .balign 8
        .dword  table
        .word   1, 1, 6, 1
        .word   0, 1
        .balign 8
request:
        .word   0, 0, 1, 0
        .type   table, @object
table:  .word   5
        .size   table, 4
dense:  .word   0
other:  .word   6
