# The same 200 requests to a torus, a mesh, or one unit: what the network costs, while the vector is the same. docs/sparse.md prints the
# table of it.
#
# 64 tables of 64 elements of 1 x 16 i8; three values of four are 0. Requests are pseudo-random: x = 1664525 x + 1013904223 modulo 2^32 from
# 5 on; table = bits 8 to 13, first element = bits 16 to 21, count = bits 24 to 26 and one more, as far as the table goes.
#
# RUN: %tasm -I %root/include -o %t.torus.o %s && %tld -o %t.torus %t.torus.o
# RUN: %tasm -I %root/include --defsym TOPOLOGY=0 -o %t.mesh.o %s && %tld -o %t.mesh %t.mesh.o
# RUN: %tasm -I %root/include --defsym SIZE=1 -o %t.one.o %s && %tld -o %t.one %t.one.o
# RUN: for network in torus mesh one; do \
# RUN:     %temu --dump counters:32=%t.counters.$network --dump dense:25600=%t.dense.$network --dump sums:12800=%t.sums.$network %t.$network || exit 1; \
# RUN: done
# RUN: %python %tools/reference.py sparse_network %t.counters.torus %t.counters.mesh %t.counters.one %t.dense.torus %t.sums.torus
# RUN: cmp %t.dense.torus %t.dense.mesh && cmp %t.dense.mesh %t.dense.one
# RUN: cmp %t.sums.torus %t.sums.mesh && cmp %t.sums.mesh %t.sums.one

        .include "tensor.inc"

        .ifndef TOPOLOGY
        .equ    TOPOLOGY, 1             # torus
        .endif
        .ifndef SIZE
        .equ    SIZE, 8                 # rows, and columns
        .endif
        .equ    TABLES, 64
        .equ    ELEMENTS, 64
        .equ    WIDTH, 16
        .equ    REQUESTS, 200
        .equ    FETCHERS, 4
        .equ    I8, 5                   # the type of their values

        .text
        .globl  _start
        .type   _start, @function
_start:
        call    fill
        la      a0, network
        sconf   a0
        la      a2, requests
        la      a1, dense
        li      a3, REQUESTS
        sgather a0, a1, a2, a3
        la      a1, sums
        sgather.sum a0, a1, a2, a3
        sparse_counters counters
        exit_program
        .size   _start, . - _start

# Byte i of the tables is i % 127 + 1 where i % 4 = 3, else 0; then the requests.
        .type   fill, @function
fill:
        la      a0, tables
        li      a1, 3
        li      a2, TABLES * ELEMENTS * WIDTH
        li      a3, 127
1:
        remu    t0, a1, a3
        addi    t0, t0, 1
        add     t1, a0, a1
        sb      t0, 0(t1)
        addi    a1, a1, 4
        bltu    a1, a2, 1b

        la      a0, requests
        li      a1, REQUESTS
        li      a2, 5
        li      a3, 1664525
        li      a4, 1013904223
        li      a5, ELEMENTS
2:
        mulw    a2, a2, a3
        addw    a2, a2, a4
        srliw   t0, a2, 8
        andi    t0, t0, TABLES - 1
        sw      t0, 0(a0)
        srliw   t0, a2, 16
        andi    t0, t0, ELEMENTS - 1
        sw      t0, 4(a0)
        sub     t1, a5, t0              # as far as the table goes
        srliw   t0, a2, 24
        andi    t0, t0, 7
        addi    t0, t0, 1
        bleu    t0, t1, 3f
        mv      t0, t1
3:
        sw      t0, 8(a0)
        addi    a0, a0, 16
        addi    a1, a1, -1
        bnez    a1, 2b
        ret
        .size   fill, . - fill

        .section .rodata
        .balign 8
network:
        .byte   TOPOLOGY, 0
        .half   SIZE, SIZE, FETCHERS
        .word   TABLES, 0
        sparse_partition TABLES, SIZE
        .set    table, 0
        .rept   TABLES
        sparse_table tables + table * ELEMENTS * WIDTH, 1, WIDTH, I8, ELEMENTS, SIZE
        .set    table, table + 1
        .endr

        .bss
        .balign 8
        .type   counters, @object
counters:
        .zero   32
        .size   counters, 32
requests:
        .zero   16 * REQUESTS
tables: .zero   TABLES * ELEMENTS * WIDTH
        .balign 4
        .type   dense, @object
dense:  .zero   8 * WIDTH * REQUESTS
        .size   dense, . - dense
        .type   sums, @object
sums:   .zero   4 * WIDTH * REQUESTS
        .size   sums, . - sums
