# The walk of the traversal patent's figures: a tensor of 3 x 2 x 2 bytes whose elements lie in another order than they are visited,
# with a prologue before it and an epilogue after it.
#
#     prologue 12 13 14    tensor 0 1 6 7 2 3 8 9 4 5 10 11    epilogue 20 22
#
# It shows
#   tprologue, tepilogue   rows of one dimension in one instruction
#   tset                   the tensor between them, dimension by dimension
#   tnext, tdone           the walk through all three
#   tloc, titer            one row by hand: where it is, and how many loops of the nest a step has ended
#   tnest                  the same walk from a descriptor
#
# By hand: tasm -o w.o walk.s && tld -o w w.o && temu --print by_hand:u8[17] w
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print by_hand:u8[17] --print by_nest:u8[17] --print located:u8[13] --print wrapped:u8[12] --print done:u8[3] \
# RUN:     --trace=%t.trace --trace-insns=40 %t > %t.out
# RUN: FileCheck %s < %t.out
# RUN: %python %tools/golden.py %S/walk.expected %t.out
# RUN: %python %tools/golden.py %S/walk.trace %t.trace
#
# CHECK-LABEL: by_hand
# CHECK:       12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 20, 22
# CHECK-LABEL: by_nest
# CHECK:       12, 13, 14, 0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 20, 22
#
# The thirteenth: all offsets are back at 0.
# CHECK-LABEL: located
# CHECK:       0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11, 0
# CHECK-LABEL: wrapped
# CHECK:       0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 3
# CHECK-LABEL: done
# CHECK:       0, 1, 1

        .equ    EXIT, 93

        .macro  tensor row
        tset.init \row, 0, 0            # the innermost: two neighbors
        tset.step \row, 0, 1
        tset.end  \row, 0, 2
        tset.init \row, 1, 0            # then 6 away
        tset.step \row, 1, 6
        tset.end  \row, 1, 12
        tset.init \row, 2, 0            # then 2 away
        tset.step \row, 2, 2
        tset.end  \row, 2, 6
        tinit   \row
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        la      s1, done
        la      s0, by_hand
        tprologue 0, 12, 1, 15
        tensor  1
        tepilogue 2, 20, 2, 24
        tdone   t0, 0                   # not yet
        sb      t0, 0(s1)
1:
        tnext   t0, 0
        sb      t0, 0(s0)
        addi    s0, s0, 1
        tdone   t0, 0
        beqz    t0, 1b
        sb      t0, 1(s1)               # now

        # One row by itself: the number of loops that a step ends would tell a program which level of its nest to go on with.
        la      s0, located
        la      s2, wrapped
        tclear  4
        tensor  4
        li      a0, 12
2:
        tloc    t0, 4
        sb      t0, 0(s0)
        titer   t1, 4
        sb      t1, 0(s2)
        addi    s0, s0, 1
        addi    s2, s2, 1
        addi    a0, a0, -1
        bnez    a0, 2b
        tloc    t0, 4                   # where it began
        sb      t0, 0(s0)
        tdone   t0, 4
        sb      t0, 2(s1)

        la      s0, by_nest
        la      a0, descriptor
        tnest   5, a0
3:
        tnext   t0, 5
        sb      t0, 0(s0)
        addi    s0, s0, 1
        tdone   t0, 5
        beqz    t0, 3b

        li      a0, 0
        li      a7, EXIT
        ecall
        .size   _start, . - _start

        .section .rodata
descriptor:                             # at any alignment
        .word   3, 0                    # arrays
        .byte   1, 1                    # a prologue of one dimension
        .half   1                       # bytes an element
        .word   0
        .dword  0                       # base
        .dword  12, 3, 1                # start, count, stride
        .byte   0, 3                    # a tensor of three
        .half   1
        .word   0
        .dword  0
        .dword  0, 2, 1
        .dword  0, 2, 6
        .dword  0, 3, 2
        .byte   2, 1                    # an epilogue
        .half   2                       # of halfwords
        .word   1                       # contiguous
        .dword  20
        .dword  0, 2, 0

        .bss
        .type   by_hand, @object
by_hand:
        .zero   17
        .size   by_hand, . - by_hand
        .type   by_nest, @object
by_nest:
        .zero   17
        .size   by_nest, . - by_nest
        .type   located, @object
located:
        .zero   13
        .size   located, . - located
        .type   wrapped, @object
wrapped:
        .zero   12
        .size   wrapped, . - wrapped
        .type   done, @object
done:   .zero   3
        .size   done, . - done
