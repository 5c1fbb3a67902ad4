# Programs for a barrel of two workers or more. SOUND=n is right; RACE=n has a race.
        .ifndef SOUND
        .set SOUND, -1
        .endif
        .ifndef RACE
        .set RACE, -1
        .endif

        .option arch, +zba
        .data
        .balign 64
        .zero 64
words:  .zero 8 * 64
flag:   .zero 8
numbers: .float 1, 1, 1, 1
beside: .zero 64

        .text
        .globl _start
_start: la a0, work
        la a1, words
        li t0, 5
        sd t0, 504(a1)              # ordered by the start
        trunall a0, a1, 8
        .if RACE == 1
        ld t0, 0(a1)
        .endif
        tsync
        la a1, words
        ld t0, 0(a1)                # ordered by texit and tsync
        ld t1, 8(a1)
        sd t0, 8(a1)
        .if SOUND == 4              # a second start
        la a0, work
        trunall a0, a1, 8
        tsync
        .endif
        li a0, 0
        li a7, 93
        ecall

# a0: a word for each worker, a1: the number of the worker.
work:   la s0, words
        ld t0, 504(s0)
        .if RACE == 0
        sd a1, 0(s0)
        .else
        sd t0, 0(a0)
        .endif
        .if SOUND == 1              # the neighbor's word after the barrier
        tbar
        csrr t1, tworkers
        addi t2, a1, 1
        rem t2, t2, t1
        sh3add t2, t2, s0
        ld t0, 0(t2)
        tbar
        sd t0, 0(a0)
        .endif
        .if RACE == 2
        csrr t1, tworkers
        addi t2, a1, 1
        rem t2, t2, t1
        sh3add t2, t2, s0
        ld t0, 0(t2)
        tbar
        .endif
        .if SOUND == 2              # both atomic
        la t1, flag
        amoadd.d zero, t0, (t1)
        .endif
        .if SOUND == 3 || RACE == 3 # worker 0 gives its word to worker 1
        la t1, flag
        bgtz a1, 1f
        li t0, 1
        amoswap.d.rl zero, t0, (t1)
        j 3f
1:      addi t2, a1, -1
        bnez t2, 3f
2:
        .if SOUND == 3
        lr.d.aq t0, (t1)
        .else
        lr.d t0, (t1)
        .endif
        beqz t0, 2b
        ld t0, 0(s0)
3:
        .endif
        .if SOUND == 5 || RACE == 4 # worker 0 copies numbers; the others write beside, or into them
        la t1, numbers
        la t2, beside
        beqz a1, 4f
        .if RACE == 4
        sw zero, 12(t1)
        .else
        sh3add t2, a1, t2
        sd zero, 8(t2)
        .endif
        j 5f
4:      csrr t2, tspm
        dma.ld t2, t1, 16
5:
        .endif
        li t0, 0
        texit t0
