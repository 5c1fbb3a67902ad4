# Automatic loss scaling, the use that the histogram unit was made for. Training in f16 multiplies the loss by a scale, so that small
# gradients do not vanish; a scale that is too high makes large ones overflow. The kernel looks for the scale:
#
#     repeat: count the scaled gradients that f16 could not hold
#         more than 1 in 64: halve the scale        none: double it        else: done
#
# It shows
#   f32v4hist     four values into four bins, each with its own range of exponents and signs
#   f16v8hist     eight values, two in a register; bins that count zeros and subnormals
#   tflw          a stream of values through a row of the traversal unit, which starts again with tinit
#
# Data
#   gradients     256 f32, pseudo-random, with exponents in the shape of a bell from 2^-47 to 2^-2
#   steps         u64, how many scales were tried; `history`: those scales, f32
#   bins          u32[4], at the last scale: too large for f16, subnormal there or less, positive, negative
#   half_bins     u32[4], of 16 values in f16: zeros, subnormals, infinities and NaNs, magnitude 1 or more
#
# By hand: tasm -o g.o gradient_histogram.s && tld -o g g.o && temu --print steps:u64 --print history:f32[32] g
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print steps:u64 --print history:f32[32] --print bins:u32[4] --print half_bins:u32[4] \
# RUN:     --dump steps:136=%t.history --dump bins:16=%t.bins --dump half_bins:16=%t.half_bins \
# RUN:     --trace=%t.trace --trace-from=try_scale --trace-insns=40 %t > %t.out
# RUN: %python %tools/reference.py gradient_histogram %t.history %t.bins %t.half_bins
# RUN: %python %tools/golden.py %S/gradient_histogram.expected %t.out
# RUN: %python %tools/golden.py %S/gradient_histogram.trace %t.trace
#
# From a scale that is too low.
# RUN: %tasm --defsym FIRST=11 -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --dump steps:136=%t.history --dump bins:16=%t.bins --dump half_bins:16=%t.half_bins %t
# RUN: %python %tools/reference.py gradient_histogram --first 11 %t.history %t.bins %t.half_bins

        .ifndef FIRST
        .equ    FIRST, 26               # binary logarithm of the first scale
        .endif
        .equ    COUNT, 256              # gradients
        .equ    LIMIT, 32               # scales to try
        .equ    GRADIENTS, 0            # row of the traversal unit
        .equ    HALVES, 1
        .equ    EXIT, 93

# A bin that has counted nothing. Range 0: exponents up to the threshold; 15: from it on; else: so many from it on.
        .equ    ANY, 0
        .equ    POSITIVE, 2
        .equ    NEGATIVE, 3
        .macro  bin exponent, range, sign
        .word   \sign << 30 | \range << 26 | (\exponent) << 18
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        call    fill
        la      a0, gradients
        li      a1, 4 * COUNT
        tbase   GRADIENTS, a0
        tset.step GRADIENTS, 0, 4
        tset.end  GRADIENTS, 0, a1

        la      s0, history
        li      s1, 0                   # scales tried
        la      t0, first_scale
        flw     fs2, 0(t0)              # the scale; fs0, fs1 belong to the group f8:f11
try_scale:
        fsw     fs2, 0(s0)
        addi    s0, s0, 4
        addi    s1, s1, 1

        # f8:f11 are the bins, f12:f15 four scaled gradients at a time.
        la      a0, empty_bins
        flw     f8, 0(a0)
        flw     f9, 4(a0)
        flw     f10, 8(a0)
        flw     f11, 12(a0)
        tinit   GRADIENTS
1:
        .irp    register, f12, f13, f14, f15
        tflw    \register, GRADIENTS
        fmul.s  \register, \register, fs2
        .endr
        f32v4hist f8:f11, f12:f15
        tdone   t0, GRADIENTS
        beqz    t0, 1b

        # The count is in the low 18 bits of a bin.
        fmv.x.w t0, f8
        slli    t0, t0, 64 - 18
        srli    t0, t0, 64 - 18
        li      t1, LIMIT
        beq     s1, t1, settled
        beqz    t0, double
        li      t1, COUNT / 64
        ble     t0, t1, settled
        li      t2, 0x3f000000          # 0.5 as f32
        j       adjust
double:
        li      t2, 0x40000000          # 2 as f32
adjust:
        fmv.w.x ft0, t2
        fmul.s  fs2, fs2, ft0
        j       try_scale

settled:
        la      a0, steps
        sd      s1, 0(a0)
        la      a0, bins
        call    store_bins

        # f16 values come two in a register: 16 of them are two groups of four words.
        la      a0, halves
        tbase   HALVES, a0
        tset.step HALVES, 0, 4
        tset.end  HALVES, 0, 32
        tinit   HALVES
        la      a0, empty_half_bins
        flw     f8, 0(a0)
        flw     f9, 4(a0)
        flw     f10, 8(a0)
        flw     f11, 12(a0)
2:
        .irp    register, f12, f13, f14, f15
        tflw    \register, HALVES
        .endr
        f16v8hist f8:f11, f12:f15
        tdone   t0, HALVES
        beqz    t0, 2b
        la      a0, half_bins
        call    store_bins

        li      a0, 0
        li      a7, EXIT
        ecall
        .size   _start, . - _start

# Stores f8:f11 at a0.
        .type   store_bins, @function
store_bins:
        fsw     f8, 0(a0)
        fsw     f9, 4(a0)
        fsw     f10, 8(a0)
        fsw     f11, 12(a0)
        ret
        .size   store_bins, . - store_bins

# Makes the gradients from x = 1664525 x + 1013904223 modulo 2^32, starting at 7: sign and fraction are those of the word; the
# exponent is 80 plus three of its nibbles.
        .type   fill, @function
fill:
        la      a0, gradients
        li      a1, COUNT
        li      a2, 7
        li      a3, 1664525
        li      a4, 1013904223
        li      a5, 0x807fffff
1:
        mulw    a2, a2, a3
        addw    a2, a2, a4
        li      t0, 80
        .irp    low, 8, 16, 24
        srliw   t1, a2, \low
        andi    t1, t1, 15
        add     t0, t0, t1
        .endr
        slli    t0, t0, 23
        and     t1, a2, a5
        or      t0, t0, t1
        sw      t0, 0(a0)
        addi    a0, a0, 4
        addi    a1, a1, -1
        bnez    a1, 1b
        ret
        .size   fill, . - fill

        .section .rodata
        .balign 4
first_scale:
        .word   (127 + FIRST) << 23     # 2^FIRST as f32

# As f32 exponents: 2^16 is beyond f16, 2^-14 is its smallest normal number.
empty_bins:
        bin     127+16, 15, ANY
        bin     127-15, 0, ANY
        bin     255, 0, POSITIVE
        bin     255, 0, NEGATIVE

# As f16 exponents, where threshold 255 is special.
empty_half_bins:
        bin     255, 0, ANY             # zeros
        bin     255, 1, ANY             # subnormals
        bin     31, 15, ANY             # infinities and NaNs
        bin     15, 15, ANY             # 1 and more

halves:
        .f16    0.0, -0.0, 1.0, -1.0, 0.5, -0.99951171875, 65504.0, -65504.0
        .f16    5.9604644775390625e-8, -6.0975551605224609e-5, 6.103515625e-5, inf, -inf, nan, 1.00048828125, 0.1

        .data
        .balign 8
        .type   steps, @object
steps:  .dword  0
        .size   steps, . - steps
        .type   history, @object
history:
        .zero   4 * LIMIT
        .size   history, . - history
        .type   bins, @object
bins:   .zero   16
        .size   bins, . - bins
        .type   half_bins, @object
half_bins:
        .zero   16
        .size   half_bins, . - half_bins

        .bss
        .balign 4
gradients:
        .zero   4 * COUNT
