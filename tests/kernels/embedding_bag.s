# Embedding bags over three tables, trained: what a recommendation model does with its sparse features. A sample has a bag in each table, a
# range of elements; a bag's output is the mean of its elements. For each of four steps, over all bags of two samples:
#
#     out = mean of the bag                       sgather.mean: the forward pass
#     loss = sum of (out - target)^2
#     element = element - rate * (out - target)   for every element of the bag: sgather, subtract, supdate
#
# and at the end the forward pass once more. Bags of one table share no element, so the gradients are those of the loss but for a factor.
#
# Units: the sparse unit for all elements, an 8 x 4 torus; the traversal unit for the walks over bags, the out of each being visited once
# for each element of it; scalar floats.
#
# Data
#   users, items, tags   tables of 64, 96 and 32 elements of 1 x 8 f32, pseudo-random
#   targets       6 x 8 f32
#   out           6 x 8 f32, after training; `losses`: f32 of each step
#
# RUN: %tasm -I %root/include -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print losses:f32[4] --print out:f32[6][8] --dump losses:16=%t.losses --dump out:192=%t.dump --dump users:6144=%t.tables \
# RUN:     --trace=%t.trace --trace-from=step --trace-insns=40 %t > %t.out
# RUN: %python %tools/reference.py embedding_bag %t.losses %t.dump %t.tables
# RUN: %python %tools/golden.py %S/embedding_bag.expected %t.out
# RUN: %python %tools/golden.py %S/embedding_bag.trace %t.trace
#
# Another order of the fetches and another network: the same bytes.
# RUN: printf 'sparse: {seed: 77}\n' > %t.yaml
# RUN: %temu --machine %t.yaml --print losses:f32[4] --print out:f32[6][8] %t | diff %t.out -
# RUN: %tasm -I %root/include --defsym ROWS=1 --defsym COLUMNS=1 -o %t.one.o %s && %tld -o %t.one %t.one.o
# RUN: %temu --print losses:f32[4] --print out:f32[6][8] %t.one | diff %t.out -

        .include "tensor.inc"

        .ifndef ROWS
        .equ    ROWS, 8
        .equ    COLUMNS, 4
        .endif
        .equ    WIDTH, 8                # values of an element
        .equ    BAGS, 6
        .equ    STEPS, 4
        .equ    USERS, 64
        .equ    ITEMS, 96
        .equ    TAGS, 32
        .equ    BAGGED, 3 + 20 + 1 + 30 + 2 + 7 # elements of all bags

# Rows of the traversal unit.
        .equ    OUT, 0                  # out, a value at a time
        .equ    TARGET, 1
        .equ    ERROR, 2                # (out - target) * rate, to be written
        .equ    ELEMENT, 3              # the gathered elements, value by value
        .equ    ELEMENT_OUT, 4
        .equ    REPEATED, 5             # the errors, each row of them once for each element of its bag

        .text
        .globl  _start
        .type   _start, @function
_start:
        call    fill
        la      a0, network
        sconf   a0
        la      t0, rate
        flw     fs2, 0(t0)
        la      s0, losses
        li      s1, STEPS
        walk    OUT, out, FLOAT, BAGS * WIDTH, 1
        walk    TARGET, targets, FLOAT, BAGS * WIDTH, 1
        walk    ERROR, errors, FLOAT, BAGS * WIDTH, 1
        walk    ELEMENT, elements, FLOAT, BAGGED * WIDTH, 1
        walk    ELEMENT_OUT, elements, FLOAT, BAGGED * WIDTH, 1
        la      s2, bags
step:
        la      a1, out
        sgather.mean zero, a1, s2, BAGS
        .irp    row, OUT, TARGET, ERROR, ELEMENT, ELEMENT_OUT
        tinit   \row
        .endr
        fmv.w.x fs3, zero
1:
        tflw    fa0, OUT
        tflw    fa1, TARGET
        fsub.s  fa0, fa0, fa1
        fmul.s  fa1, fa0, fa0
        fadd.s  fs3, fs3, fa1
        fmul.s  fa0, fa0, fs2
        tfsw    fa0, ERROR
        until_done OUT, 1b
        fsw     fs3, 0(s0)
        addi    s0, s0, 4

        # The elements of all bags, less the error of their bag.
        la      a1, elements
        sgather a0, a1, s2, BAGS
        la      s3, errors
        mv      s4, s2
        li      s5, BAGS
2:
        lwu     a1, 8(s4)               # count of the bag
        tclear  REPEATED
        tbase   REPEATED, s3
        tset.step REPEATED, 0, FLOAT
        tset.end REPEATED, 0, FLOAT * WIDTH
        tset.repeat REPEATED, 1, a1
        tinit   REPEATED
3:
        tflw    fa0, ELEMENT
        tflw    fa1, REPEATED
        fsub.s  fa0, fa0, fa1
        tfsw    fa0, ELEMENT_OUT
        until_done REPEATED, 3b
        addi    s3, s3, FLOAT * WIDTH
        addi    s4, s4, 16
        addi    s5, s5, -1
        bnez    s5, 2b
        la      a1, elements
        supdate a1, s2, BAGS
        addi    s1, s1, -1
        bnez    s1, step

        la      a1, out
        sgather.mean zero, a1, s2, BAGS
        exit_program
        .size   _start, . - _start

# Tables and targets from x = 1664525 x + 1013904223 modulo 2^32, starting at 11: the upper 16 bits, signed, divided by 2^15.
        .type   fill, @function
fill:
        la      a0, users
        li      a1, (USERS + ITEMS + TAGS + BAGS) * WIDTH
        li      a2, 11
        li      a3, 1664525
        li      a4, 1013904223
        la      t0, fraction
        flw     fa1, 0(t0)
4:
        mulw    a2, a2, a3
        addw    a2, a2, a4
        sraiw   t0, a2, 16
        fcvt.s.w fa0, t0
        fmul.s  fa0, fa0, fa1
        fsw     fa0, 0(a0)
        addi    a0, a0, FLOAT
        addi    a1, a1, -1
        bnez    a1, 4b
        ret
        .size   fill, . - fill

        .section .rodata
        .balign 4
rate:   .float  0.5
fraction:
        .float  0.000030517578125

        .equ    F32, 0                  # the type of the tables' values
        .balign 8
network:
        .byte   1, 0                    # a torus
        .half   ROWS, COLUMNS, 2        # with two fetch processors a unit
        .word   3, 0
        sparse_partition 3, ROWS
        sparse_table users, 1, WIDTH, F32, USERS, COLUMNS
        sparse_table items, 1, WIDTH, F32, ITEMS, COLUMNS
        sparse_table tags, 1, WIDTH, F32, TAGS, COLUMNS

bags:                                   # table, first element, count
        .word   0, 10, 3, 0
        .word   1, 14, 20, 0
        .word   2, 8, 1, 0
        .word   0, 25, 30, 0
        .word   1, 94, 2, 0
        .word   2, 20, 7, 0

        .bss
        .balign 8
        .type   users, @object
users:  .zero   FLOAT * USERS * WIDTH
items:  .zero   FLOAT * ITEMS * WIDTH
tags:   .zero   FLOAT * TAGS * WIDTH
        .size   users, . - users
targets:
        .zero   FLOAT * BAGS * WIDTH
errors: .zero   FLOAT * BAGS * WIDTH
elements:
        .zero   FLOAT * BAGGED * WIDTH
        .type   losses, @object
losses: .zero   FLOAT * STEPS
        .size   losses, . - losses
        .type   out, @object
out:    .zero   FLOAT * BAGS * WIDTH
        .size   out, . - out
