# Long walks through rows in loops, for tiers.test: over several pages up and down, across the end of the mapped data, with one element
# repeated, stores and loads by one row, and looks at a row in the middle of its walk. `sums` has what was seen; the last walk faults.
        .equ    WORDS, 3000                     # some pages
        .globl  _start
_start:
        la      s0, data
        la      s1, sums
        li      s2, WORDS

        tset.init 0, 0, 0                       # fill: one word each, up
        tset.step 0, 0, 4
        slli    t0, s2, 2
        tset.end 0, 0, t0
        tbase   0, s0
        tinit   0
        mv      t1, s2
1:      mul     t2, t1, t1
        tsw     t2, 0
        addi    t1, t1, -1
        bnez    t1, 1b

        tset.init 1, 0, t0                      # down, three words a step, in rows of two dimensions
        li      t1, -12
        tset.step 1, 0, t1
        tset.end 1, 0, 8
        tset.repeat 1, 1, 3
        tbase   1, s0
        tinit   1
        li      s3, 0
        tdone   t3, 1
2:      tlw     t2, 1
        slli    s3, s3, 1
        xor     s3, s3, t2
        andi    t4, s3, 31                      # now and then, look at it
        bnez    t4, 3f
        tloc    t4, 1
        sub     t4, t4, s0
        add     s3, s3, t4
        titer   t4, 1
        add     s3, s3, t4
3:      tdone   t3, 1
        beqz    t3, 2b
        sd      s3, 0(s1)

        tset.init 2, 0, 0                       # the first word 7 times, then the next; stored back by the same row
        tset.repeat 2, 0, 7
        tset.step 2, 1, 4
        tset.end 2, 1, t0
        tbase   2, s0
        tinit   2
        li      s4, 0
        mv      t1, s2
4:      tlwu    t2, 2
        add     t2, t2, s4
        tsw     t2, 2
        slli    s4, s4, 3
        xor     s4, s4, t2
        tlbu    t2, 2
        add     s4, s4, t2
        addi    t1, t1, -1
        bnez    t1, 4b
        tnext   t2, 2
        sub     t2, t2, s0
        add     s4, s4, t2
        sd      s4, 8(s1)

        tinit   0                               # two walks side by side
        li      s5, 0
        li      t5, 1
        tinit   1
        li      t1, 900
5:      tlwu    t2, 0
        tlw     t3, 1
        mul     s5, s5, t2
        add     s5, s5, t3
        addi    t1, t1, -1
        bnez    t1, 5b
        sd      s5, 16(s1)

        li      t0, 0x40000000                  # past the data's end: a fault
        tset.end 0, 0, t0
        tinit   0
        li      s6, 0
6:      tlw     t2, 0
        add     s6, s6, t2
        sd      s6, 24(s1)
        j       6b

        .bss
        .balign 8
        .globl  sums
sums:   .zero   32
        .zero   2044
data:   .zero   WORDS * 4 + 16
