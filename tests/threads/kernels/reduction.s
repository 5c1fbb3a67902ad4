# The sum of 960 numbers. Each worker adds its part; then pairs of workers add their sums, in as many rounds as it takes, with a tbar before each.
#
# numbers    u64[960]
# total      u64
        .equ    COUNT, 960

        .text
        .globl  _start
_start: csrr    t0, tworkers
        li      t1, 8 * COUNT
        divu    t1, t1, t0
        la      a0, work
        la      a1, numbers
        trunall a0, a1, t1
        tsync
        la      t0, sums
        ld      t1, 0(t0)
        sd      t1, total - sums(t0)
        li      a0, 0
        li      a7, 93
        ecall

work:   csrr    s0, tworkers
        li      t0, COUNT
        divu    t0, t0, s0
        li      s1, 0
1:      ld      t1, 0(a0)
        add     s1, s1, t1
        addi    a0, a0, 8
        addi    t0, t0, -1
        bnez    t0, 1b
        la      s2, sums
        slli    t1, a1, 3
        add     s2, s2, t1              # the place of its sum
        sd      s1, 0(s2)
        li      s3, 1                   # the distance of the pairs
        j       4f
2:      tbar
        slli    t0, s3, 1
        remu    t1, a1, t0
        bnez    t1, 3f
        add     t1, a1, s3
        bgeu    t1, s0, 3f              # it has no partner
        slli    t1, s3, 3
        add     t1, t1, s2
        ld      t2, 0(t1)
        add     s1, s1, t2
        sd      s1, 0(s2)
3:      slli    s3, s3, 1
4:      bltu    s3, s0, 2b
        li      t0, 0
        texit   t0

        .data
        .balign 64
numbers: .zero  8 * COUNT
sums:   .zero   8 * 64
total:  .quad   0
