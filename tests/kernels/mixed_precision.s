# Training in mixed precision with automatic loss scaling: twelve steps of a network 16-16-8 with a rectified hidden layer, a batch of 16.
#
#     forward       hidden = max(0, x * first), error = hidden * second - target, all products of f16 values
#     backward      from scale * 2/128 * error, rounded to f16, to the gradients of both matrices of weights, rounded to f16
#     histogram     of the exponents of all gradients: how many are infinite or no numbers, 2^14 and more, subnormal, zero
#     update        weights -= rate / scale * gradients, in f32
#
# Small gradients vanish in f16, so that they are multiplied by a scale. It is too high at first, as is usual, and it is adapted after
# each step: where a gradient has overflowed, the step is left out and the scale halved; where more than 1 in 64 have reached 2^14, it
# is halved, too; where none has, it is doubled. From the ninth step on there is a batch whose targets are far off: it overflows again.
#
# Backward, everything is transposed: from the error as 8 x 16, back = second * error is 16 x 16, and error * hidden and back * x are the
# gradients. So no product needs a transposed operand; the loops over elements, which are there anyhow, walk the other way instead.
#
# Units
#   mm.f16        five products a step, sums in f32
#   mcvt          f32 to f16 in front of them, and of the gradients; and back
#   mmv, mms      the sum of squared errors; the scale, and the rate divided by it
#   f16v8hist     eight gradients at a time
#   tnest         rows that walk one array after the other; tflw, tfsw, tlw, tsw
#   scalar floats maximum, difference, the scale
#
# Data
#   inputs, targets, initial    main memory: two batches (16 x 16 f16; 16 x 8 f32), then the weights
#   losses, scales, counts      main memory, a step each: sum of squared errors, scale (12 f32), bins without thresholds (12 x 4 u32)
#   first, second               scratchpad: weights, 16 x 16 and 16 x 8 f32; half_first, half_second: rounded to f16
#   x, target, hidden, out      scratchpad: of the batch; 16 rows
#   error, back, gradients      scratchpad: transposed, 8 x 16, 16 x 16, and 16 x 16 followed by 8 x 16; half_…: rounded to f16
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py mixed_precision_data %t.dir/mixed_precision.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print losses:f32[12] --print scales:f32[12] --print counts:u32[12,4] --dump losses:48=%t.losses --dump scales:48=%t.scales \
# RUN:     --dump counts:192=%t.counts --dump first:1536=%t.weights --trace=%t.trace --trace-from=differentiate --trace-insns=56 %t > %t.out
# RUN: %python %tools/reference.py mixed_precision %t.losses %t.scales %t.counts %t.weights
# RUN: %python %tools/golden.py %S/mixed_precision.expected %t.out
# RUN: %python %tools/golden.py %S/mixed_precision.trace %t.trace
#
# From a scale at which gradients are subnormal, with 4 lanes.
# RUN: echo 'matrix: {lanes: 4}' > %t.yaml
# RUN: %tasm -I %root/include -I %t.dir --defsym FIRST=-8 -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --machine %t.yaml --dump losses:48=%t.losses --dump scales:48=%t.scales --dump counts:192=%t.counts --dump first:1536=%t.weights %t
# RUN: %python %tools/reference.py mixed_precision --first -8 --lanes 4 %t.losses %t.scales %t.counts %t.weights

        .include "tensor.inc"

        .ifndef FIRST
        .equ    FIRST, 20               # binary logarithm of the first scale
        .endif
        .equ    STEPS, 12
        .equ    OFF, 8                  # the step from which on the targets are far off
        .equ    BATCH, 16
        .equ    IN, 16
        .equ    HIDDEN, 16
        .equ    OUT, 8
        .equ    WEIGHTS, IN * HIDDEN + HIDDEN * OUT
        .equ    HALF, 2                 # bytes of an f16

# to = from in the other float type, `count` values
        .macro  convert types, to, from, count
        la      a0, \to
        la      a1, \from
        li      a2, \count
        mcvt.\types a0, a1, a2
        .endm

        .macro  product out, a, b, m, k, n
        la      a0, \out
        la      a1, \a
        la      a2, \b
        mm.f16  a0, a1, a2, \m, \k, \n
        .endm

# The value of row `out` is that of row `a` minus that of row `b`, 8 times in a round, until `out` is exhausted.
        .macro  subtract out, a, b
.Lsubtract\@:
        .rept   8
        tflw    fa0, \a
        tflw    fa1, \b
        fsub.s  fa0, fa0, fa1
        tfsw    fa0, \out
        .endr
        until_done \out, .Lsubtract\@
        .endm

# The weights as two rows of one nest, both by columns, as their gradients lie.
        .macro  walk_weights row
        nest_begin \row, 2
        nest_array TENSOR, first, FLOAT, IN, HIDDEN, HIDDEN, 1
        nest_array TENSOR, second, FLOAT, HIDDEN, OUT, OUT, 1
        nest_end
        .endm

# The two batches lie one after the other; s1 is the number of this one.
        .macro  load_batch to, batches, bytes
        la      a0, \to
        la      a1, \batches
        li      a2, \bytes
        mul     a3, s1, a2
        add     a1, a1, a3
        dma.ld  a0, a1, a2
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        dma_in  first, initial, FLOAT * WEIGHTS
        la      t0, constants
        flw     fs2, 0(t0)              # the scale; fs0 and fs1 belong to the group f8:f11
        flw     fs3, 4(t0)              # 2/128
        flw     fs4, 8(t0)              # the rate of learning
        flw     fs5, 12(t0)             # 0.5
        fmv.w.x ft11, zero              # for relu
        li      s0, 0                   # steps
        la      s2, losses
        la      s3, counts
next_step:
        sltiu   s1, s0, OFF
        xori    s1, s1, 1
        load_batch x, inputs, HALF * BATCH * IN
        load_batch target, targets, FLOAT * BATCH * OUT

        # Forward.
        convert f16.f32, half_first, first, WEIGHTS
        product hidden, x, half_first, BATCH, IN, HIDDEN
        map_vector relu, hidden, hidden, BATCH * HIDDEN, 8
        convert f16.f32, half_hidden, hidden, BATCH * HIDDEN
        product out, half_hidden, half_second, BATCH, HIDDEN, OUT
        walk    0, out, FLOAT, BATCH * OUT, 1
        walk    1, target, FLOAT, BATCH * OUT, 1
        walk    2, error, FLOAT, OUT, BATCH, BATCH, 1
        subtract 2, 0, 1

        # The sum of squares; then the error, scaled.
        la      a0, squares
        la      a1, error
        li      a2, BATCH * OUT
        mmv.f32 a0, 1, a1, a1, a2
        flw     fa0, (a0)
        fsw     fa0, (s2)
        fsw     fs2, scales - losses(s2)
        fmul.s  fa0, fs2, fs3
        mms.f32 a1, a1, a2, fa0
        convert f16.f32, half_error, error, BATCH * OUT

        # Backward: 0 where the hidden value is 0. The integers tell, and keep a NaN.
        product back, half_second, half_error, HIDDEN, OUT, BATCH
        walk    0, hidden, FLOAT, BATCH, HIDDEN, HIDDEN, 1
        walk    1, back, FLOAT, HIDDEN * BATCH, 1
        walk    2, back, FLOAT, HIDDEN * BATCH, 1
1:
        .rept   8
        tlw     t1, 0
        tlw     t2, 1
        snez    t1, t1
        neg     t1, t1
        and     t2, t2, t1
        tsw     t2, 2
        .endr
        until_done 2, 1b
differentiate:
        convert f16.f32, half_back, back, HIDDEN * BATCH
        product gradients, half_back, x, HIDDEN, BATCH, IN
        product gradients + FLOAT * IN * HIDDEN, half_error, half_hidden, OUT, BATCH, HIDDEN
        convert f16.f32, half_gradients, gradients, WEIGHTS

        # Two gradients in a register: f8:f11 are the bins, f12:f15 eight gradients.
adapt:
        la      t0, bins
        flw     f8, 0(t0)
        flw     f9, 4(t0)
        flw     f10, 8(t0)
        flw     f11, 12(t0)
        walk    0, half_gradients, 2 * HALF, WEIGHTS / 2, 1
2:
        .rept   4
        .irp    register, f12, f13, f14, f15
        tflw    \register, 0
        .endr
        f16v8hist f8:f11, f12:f15
        .endr
        until_done 0, 2b
        .irp    bin, 11, 10, 9, 8       # the last two stay in t1 and t2
        mv      t2, t1
        fmv.x.w t1, f\bin
        slli    t1, t1, 64 - 18
        srli    t1, t1, 64 - 18
        sw      t1, 4 * (\bin - 8)(s3)
        .endr
        bnez    t1, halve               # overflow: this step is left out

        # Update.
        convert f32.f16, gradients, half_gradients, WEIGHTS
        fdiv.s  fa0, fs4, fs2
        mms.f32 a0, a0, a2, fa0
        walk_weights 0
        walk    2, gradients, FLOAT, WEIGHTS, 1
        walk_weights 3
        subtract 3, 0, 2

        li      t0, WEIGHTS / 64
        bgtu    t2, t0, halve
        bnez    t2, keep
        fadd.s  fs2, fs2, fs2
        j       keep
halve:
        fmul.s  fs2, fs2, fs5
keep:
        addi    s2, s2, FLOAT
        addi    s3, s3, 16
        addi    s0, s0, 1
        li      t0, STEPS
        bne     s0, t0, next_step
        exit_program
        .size   _start, . - _start

        .section .rodata
        .balign 4
constants:
        .word   (127 + FIRST) << 23     # 2^FIRST as f32
        .float  0.015625, 1.0, 0.5
bins:                                   # threshold in bits 25:18, range from 26 on; 15: at least, threshold 255: see machine.md, 4
        .word   15 << 26 | 31 << 18     # infinities and NaNs
        .word   15 << 26 | (15 + 14) << 18
        .word   1 << 26 | 255 << 18     # subnormals
        .word   255 << 18               # zeros
inputs: .incbin "mixed_precision.bin"
        .equ    targets, inputs + 2 * HALF * BATCH * IN
        .equ    initial, targets + 2 * FLOAT * BATCH * OUT

        .bss
        .balign 4
        .globl  losses
        .type   losses, @object
losses: .zero   FLOAT * STEPS
        .size   losses, . - losses
        .globl  scales
        .type   scales, @object
scales: .zero   FLOAT * STEPS
        .size   scales, . - scales
        .globl  counts
        .type   counts, @object
counts: .zero   16 * STEPS
        .size   counts, . - counts

        .section .spm.bss, "aw", @nobits
        .balign 4
        .globl  first
        .type   first, @object
first:          .zero   FLOAT * IN * HIDDEN
second:         .zero   FLOAT * HIDDEN * OUT
        .size   first, . - first
half_first:     .zero   HALF * IN * HIDDEN
half_second:    .zero   HALF * HIDDEN * OUT
x:              .zero   HALF * BATCH * IN
target:         .zero   FLOAT * BATCH * OUT
hidden:         .zero   FLOAT * BATCH * HIDDEN
half_hidden:    .zero   HALF * BATCH * HIDDEN
out:            .zero   FLOAT * BATCH * OUT
squares:        .zero   FLOAT
error:          .zero   FLOAT * OUT * BATCH
half_error:     .zero   HALF * OUT * BATCH
back:           .zero   FLOAT * HIDDEN * BATCH
half_back:      .zero   HALF * HIDDEN * BATCH
gradients:      .zero   FLOAT * WEIGHTS
half_gradients: .zero   HALF * WEIGHTS
