# Automatic loss scaling by a supervisor and its workers, the use that the barrel of JP7848342B2 was made for. The workers count the scaled gradients
# that f16 could not hold, each in bins of its own. The supervisor adds the bins and changes the scale:
#
#     more than 1 in 64 is too large: halve the scale        none: double it        else: done
#
# It shows trunall with a stride, the end of workers by texit and tsync, and that only the supervisor decides.
#
# gradients  960 f32
# steps      u64, how many scales were tried; `history`: those scales, f32[32]
# bins       u32[6][4], of each worker at the last scale: too large for f16, subnormal in f16 or less, positive, negative
        .equ    COUNT, 960
        .equ    LIMIT, 32

        .macro  bin exponent, range, sign
        .word   \sign << 30 | \range << 26 | (\exponent) << 18
        .endm

        .text
        .globl  _start
_start: la      s0, history
        li      s1, 0                   # scales tried
        la      t0, first_scale
        flw     fs0, 0(t0)
try:    fsw     fs0, 0(s0)
        addi    s0, s0, 4
        addi    s1, s1, 1
        la      t0, scale
        fsw     fs0, 0(t0)              # the start orders it before the loads of the workers

        csrr    s2, tworkers
        li      t0, 4 * COUNT
        divu    s3, t0, s2              # bytes for each worker
        la      a0, work
        la      a1, gradients
        trunall a0, a1, s3
        tsync

        la      t0, bins                # the first bins of all workers
        li      t1, 0
        mv      t2, s2
1:      lwu     t3, 0(t0)
        slli    t3, t3, 64 - 18         # the count is in the low 18 bits
        srli    t3, t3, 64 - 18
        add     t1, t1, t3
        addi    t0, t0, 16
        addi    t2, t2, -1
        bnez    t2, 1b

        li      t0, LIMIT
        bgeu    s1, t0, done
        la      t2, two
        flw     fs1, 0(t2)
        li      t0, COUNT / 64
        bgtu    t1, t0, halve
        bnez    t1, done
        fmul.s  fs0, fs0, fs1
        j       try
halve:  fdiv.s  fs0, fs0, fs1
        j       try
done:   la      t0, steps
        sd      s1, 0(t0)
        li      a0, 0
        li      a7, 93
        ecall

# A worker: a0 is its first gradient, a1 its number.
work:   csrr    t0, tworkers
        li      t1, COUNT
        divu    t1, t1, t0              # its gradients
        la      t2, scale
        flw     ft8, 0(t2)
        la      t3, empty
        flw     f8, 0(t3)
        flw     f9, 4(t3)
        flw     f10, 8(t3)
        flw     f11, 12(t3)
2:      flw     f12, 0(a0)
        flw     f13, 4(a0)
        flw     f14, 8(a0)
        flw     f15, 12(a0)
        fmul.s  f12, f12, ft8
        fmul.s  f13, f13, ft8
        fmul.s  f14, f14, ft8
        fmul.s  f15, f15, ft8
        f32v4hist f8:f11, f12:f15
        addi    a0, a0, 16
        addi    t1, t1, -4
        bnez    t1, 2b
        la      t3, bins
        slli    t4, a1, 4
        add     t3, t3, t4
        fsw     f8, 0(t3)
        fsw     f9, 4(t3)
        fsw     f10, 8(t3)
        fsw     f11, 12(t3)
        li      t0, 0
        texit   t0

        .data
        .balign 64
gradients:
        .zero   4 * COUNT
bins:   .zero   6 * 16
history: .zero  4 * LIMIT
steps:  .quad   0
scale:  .float  0
first_scale:
        .float  67108864                # 2^26
two:    .float  2
empty:  bin     127+16, 15, 0           # from 2^16 on
        bin     127-15, 0, 0            # below 2^-14
        bin     0, 15, 2
        bin     0, 15, 3
