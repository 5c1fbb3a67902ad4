# Zicsr: what each form reads and writes, through fflags and frm, and through the counters. Ends with the number of the first check that
# fails, or 0.
#
# RUN: %gas -march=rv64imafd_zicsr -o %t.o %s && %gld -o %t %t.o
# RUN: %temu %t
# RUN: %qemu %t

        .macro  check number, register, value
        li      a0, \number
        li      t6, \value
        bne     \register, t6, finish
        .endm

        .globl  _start
_start: csrwi   fflags, 0
        csrwi   frm, 0

        li      t0, 0xffff              # a write keeps the bits that exist
        csrrw   t1, fflags, t0
        check   1, t1, 0
        csrr    t1, fflags
        check   2, t1, 0x1f

        li      t0, 0x11                # clear bits; the old value comes back
        csrrc   t1, fflags, t0
        check   3, t1, 0x1f
        csrrs   t1, fflags, zero
        check   4, t1, 0x0e

        li      t0, 1                   # set bits
        csrrs   t1, fflags, t0
        check   5, t1, 0x0e
        csrrsi  t1, fflags, 0x10
        check   6, t1, 0x0f
        csrrci  t1, fflags, 2
        check   7, t1, 0x1f
        csrrwi  t1, frm, 3
        check   8, t1, 0

        csrr    t1, fcsr                # both in one
        check   9, t1, 0x7d
        li      t0, 0x2a
        csrrw   t0, fcsr, t0            # rd and rs1 the same
        check   10, t0, 0x7d
        csrr    t1, frm
        check   11, t1, 1
        csrr    t1, fflags
        check   12, t1, 0x0a

        csrrw   zero, fflags, zero      # x0 stays 0
        check   13, zero, 0
        csrr    t1, fflags
        check   14, t1, 0

        rdinstret t1                    # counters only go up
        rdinstret t2
        li      a0, 15
        bgeu    t1, t2, finish
        rdcycle t1
        rdcycle t2
        li      a0, 16
        bgtu    t1, t2, finish
        rdtime  t1
        rdtime  t2
        li      a0, 17
        bgtu    t1, t2, finish
        li      a0, 0
finish: li      a7, 93
        ecall
