# The example of the sparse-to-dense patent (JP7187635B2): of a thousand tables, an element of 100 x 10 from table 1, one of 20 x 100 from
# table 2 and one of 3 x 3 from table 1000 become one dense vector of 3009 values.
#
# It shows
#   sconf         a partition with tables that are not in use (no elements)
#   sgather       requests to tables of different shapes
#   supdate       the way back, to the elements
#
# Data
#   table1, table2, table1000   f32; value i of the three together is i + 1, and every third one 0
#   dense         3009 f32; `length`: what sgather returned
#   doubled       3009 f32: gathered once more, after the doubled vector went back
#   counters      u64[4]: shops, scycles, sbytes, szbytes of all three instructions
#
# The network is a mesh of 2 x 2 units: tables 0 to 1 belong to the first row, all others to the second, and all elements to the
# second column.
#
# RUN: %tasm -I %root/include -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print length:u64 --print counters:u64[4] --dump dense:12036=%t.dense --dump doubled:12036=%t.doubled \
# RUN:     --dump counters:32=%t.counters --trace=%t.trace --trace-from=gather --trace-insns=12 %t > %t.out
# RUN: FileCheck %s < %t.out
# RUN: %python %tools/reference.py sparse_example %t.dense %t.doubled %t.counters
# RUN: %python %tools/golden.py %S/sparse_example.expected %t.out
# RUN: %python %tools/golden.py %S/sparse_example.trace %t.trace
#
# CHECK: length:u64 = 3009

        .include "tensor.inc"

        .equ    TABLES, 1001
        .equ    VALUES, 100 * 10 + 20 * 100 + 3 * 3

        .text
        .globl  _start
        .type   _start, @function
_start:
        call    fill
        la      a0, network
        sconf   a0
gather:
        la      a1, dense
        la      a2, requests
        sgather a0, a1, a2, 3
        la      a3, length
        sd      a0, 0(a3)

        # Twice the vector goes back to the tables.
        dma_in  buffer, dense, FLOAT * VALUES
        la      a0, buffer
        li      a1, VALUES
        la      a2, two
        flw     fa0, 0(a2)
        mms.f32 a0, a0, a1, fa0
        la      a2, requests
        supdate a0, a2, 3

        la      a1, doubled
        sgather a0, a1, a2, 3

        sparse_counters counters
        exit_program
        .size   _start, . - _start

        .type   fill, @function
fill:
        la      a0, table1
        li      a1, 1
        li      a2, VALUES
        li      a3, 3
1:
        remu    t0, a1, a3
        snez    t0, t0
        mul     t0, t0, a1              # 0 for every third one
        fcvt.s.w fa0, t0
        fsw     fa0, 0(a0)
        addi    a0, a0, FLOAT
        addi    a1, a1, 1
        bleu    a1, a2, 1b
        ret
        .size   fill, . - fill

        .section .rodata
        .equ    F32, 0
        .balign 8
network:
        .byte   0, 0                    # a mesh
        .half   2, 2, 4                 # rows, columns, fetch processors
        .word   TABLES, 0
        .word   0, 2, TABLES
        .balign 8
        sparse_table 0, 0, 0, F32, 0, 2         # not in use
        sparse_table table1, 100, 10, F32, 1, 2 # one element: the second of two columns has it
        sparse_table table2, 20, 100, F32, 1, 2
        .rept   1000 - 3
        sparse_table 0, 0, 0, F32, 0, 2
        .endr
        sparse_table table1000, 3, 3, F32, 1, 2

requests:
        .word   1, 0, 1, 0              # table, first element, count
        .word   2, 0, 1, 0
        .word   1000, 0, 1, 0

        .balign 4
two:    .float  2

        .bss
        .balign 8
table1: .zero   FLOAT * 100 * 10
table2: .zero   FLOAT * 20 * 100
table1000:
        .zero   FLOAT * 3 * 3
        .balign 8
        .type   length, @object
length: .zero   8
        .size   length, 8
        .type   counters, @object
counters:
        .zero   32
        .size   counters, 32
        .type   dense, @object
dense:  .zero   FLOAT * VALUES
        .size   dense, FLOAT * VALUES
        .type   doubled, @object
doubled:
        .zero   FLOAT * VALUES
        .size   doubled, FLOAT * VALUES

        .section .spm.bss, "aw", @nobits
        .balign 4
buffer: .zero   FLOAT * VALUES
