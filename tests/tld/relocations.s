# Every kind of relocation that an object of the base ISA has: the program checks each result itself and exits with the number of the
# first check that fails; GNU ld's program must behave the same.
#
# RUN: %gas -march=rv64imafd -mabi=lp64d -o %t.o %s
# RUN: %python %S/Inputs/same_program.py %tld --no-relax -- %t.o | FileCheck %s
# RUN: %python %S/Inputs/same_program.py %tld -- %t.o | FileCheck %s
# RUN: %tasm -o %t.tasm.o %s
# RUN: %python %S/Inputs/same_program.py %tld --no-relax -- %t.tasm.o | FileCheck %s
# RUN: %python %S/Inputs/same_program.py %tld -- %t.tasm.o | FileCheck %s
# CHECK: exit 99

.macro check_equal number, a, b
    li      a0, \number
    bne     \a, \b, fail
.endm

    .text
    .globl _start
_start:
    .option push
    .option norelax
    lla     gp, __global_pointer$
    .option pop
    # absolute address, high and low part; load and store
    lui     t0, %hi(word)
    addi    t1, t0, %lo(word)
    la      t2, word
    check_equal 1, t1, t2
    lw      t3, %lo(word)(t0)
    li      t4, 0x12345678
    check_equal 2, t3, t4
    li      t4, 77
    sw      t4, %lo(word)(t0)
    lw      t3, 0(t2)
    check_equal 3, t3, t4
    # pc-relative, with offsets around the rounding of the low part
1:  auipc   t0, %pcrel_hi(big + 0x7fc)
    lw      t1, %pcrel_lo(1b)(t0)
    li      t2, 511
    check_equal 4, t1, t2
2:  auipc   t0, %pcrel_hi(big + 0x800)
    lw      t1, %pcrel_lo(2b)(t0)
    li      t2, 512
    check_equal 5, t1, t2
3:  auipc   t0, %pcrel_hi(big + 0x1000)
    li      t1, 4242
    sw      t1, %pcrel_lo(3b)(t0)
    la      t2, big
    li      t3, 0x1000
    add     t2, t2, t3
    lw      t2, 0(t2)
    check_equal 6, t1, t2
    # calls, jumps and branches, forwards and back
    li      s0, 0
    call    count
    jal     ra, count
    call    count_far
    li      t0, 3
    check_equal 7, s0, t0
    tail    onward
back:
    beq     x0, x0, done_branching
    li      a0, 8
    j       fail
onward:
    bnez    s0, back
    li      a0, 9
    j       fail
done_branching:
    # GOT
    .option pic
    la      t0, word
    .option nopic
    lla     t1, word
    check_equal 10, t0, t1
    .option pic
    la      t0, nowhere             # weak and undefined: 0
    .option nopic
    check_equal 11, t0, x0
    # data: addresses, distances, differences
    la      t0, addresses
    lla     t1, word
    ld      t2, 0(t0)
    check_equal 12, t2, t1
    lwu     t2, 8(t0)
    check_equal 13, t2, t1
    lw      t2, 12(t0)              # difference in 32 bits
    li      t3, 12
    check_equal 14, t2, t3
    lh      t2, 16(t0)
    check_equal 15, t2, t3
    lb      t2, 18(t0)
    check_equal 16, t2, t3
    ld      t2, 24(t0)
    check_equal 18, t2, t3
    lw      t2, 32(t0)              # distance to word
    addi    t3, t0, 32
    add     t2, t2, t3
    check_equal 19, t2, t1
    # thread-local offsets
    lui     t0, %tprel_hi(second)
    add     t0, t0, x0, %tprel_add(second)
    addi    t0, t0, %tprel_lo(second)
    li      t1, 8
    check_equal 20, t0, t1
    lui     t0, %tprel_hi(third)
    add     t0, t0, x0, %tprel_add(third)
    addi    t0, t0, %tprel_lo(third)
    li      t1, 16
    check_equal 21, t0, t1
    # what is aligned
    la      t0, aligned
    andi    t1, t0, 63
    check_equal 22, t1, x0
    jalr    t0
    li      t1, 23
    check_equal 23, a1, t1
    # absolute symbols and the layout's
    lui     t0, %hi(constant)
    addi    t0, t0, %lo(constant)
    li      t1, 0x1234567
    check_equal 24, t0, t1
    la      t0, _end
    la      t1, __bss_start
    li      a0, 25
    bltu    t0, t1, fail
    la      t0, __start_listing
    la      t1, __stop_listing
    sub     t1, t1, t0
    li      t2, 24
    check_equal 26, t1, t2
    li      a0, 99
fail:
    li      a7, 93
    ecall
count:
    addi    s0, s0, 1
    ret
    .weak   nowhere
    .set    constant, 0x1234567
    .globl  constant
    nop
    .p2align 6
aligned:
    li      a1, 23
    ret
    .section .text.far, "ax", @progbits
    .p2align 4
count_far:
    addi    s0, s0, 1
    ret

    .data
    .p2align 3
word:
    .word   0x12345678
    .p2align 3
addresses:
    .dword  word
    .word   word
    .word   after - before
    .half   after - before
    .byte   after - before
    .p2align 3
    .dword  after - before
    .word   word - .
    .option push
    .option relax
    .option norvc
    .section .text.marks, "ax", @progbits
before:
    nop
    nop
    nop
after:
    .option pop
    .section .big, "aw", @progbits
big:
    .set    n, 0
    .rept   1200
    .word   n
    .set    n, n + 1
    .endr
    .section .tdata, "awT", @progbits
first:
    .dword  1
second:
    .dword  2
    .section .tbss, "awT", @nobits
third:
    .zero   8
    .section listing, "aw", @progbits
    .dword  1, 2, 3
