# A multi-layer perceptron 64-48-32-10 in 8-bit integers, for a batch of 8: what inference on a small machine looks like after training.
#
#     hidden: out = saturate(round(scale * (in * weights)))      the last layer: logits = scale * (in * weights), in f32
#
# Each layer is four instructions for the whole batch, and no loop: product, sums to f32, scaling, rounding to i8.
#
# Where are the biases and the ReLU?
#   The hidden activations are stored as q = round(x / s) - 128, so that the saturation of i8 at -128 is the ReLU's at 0. All that this adds
#   to a sum is a constant (128 times the sum of the weights, and -128 for the next q), and so belongs to the bias.
#   The vectors of the network have 16 more elements, one segment of the lanes: 1, and fifteen times 127. Their weights are the bias, to
#   15 * 127 * 127 + 127 on either side, and columns of their own carry them through each layer: the 127 saturate.
#
# Units
#   dma.ld        the parameters, all at once
#   mm.i8         sums in i32, exact: no lane and no order shows in the result
#   mcvt, mms     requantization: i32 to f32 (exact below 2^24), times the scale, to i8 with rounding to nearest even and saturation
#   tflw          the largest logit of each row, by scalar floats
#
# Data
#   parameters    main memory: scale of each layer (3 f32, 0); the batch (8 x 80 i8); the weights of the layers, a row an input: 80 x 64,
#                 64 x 48, 48 x 10 i8; then, for the scalar program only, the biases without constants (48 + 32 + 10 i32)
#   scales, batch, weights1…3    scratchpad: their copies, in this order
#   sums          scratchpad: 8 x 64 i32, and in the same place f32
#   hidden1, hidden2, logits     scratchpad: 8 x 64 i8, 8 x 48 i8, 8 x 10 f32; `classes`: main memory, 8 u8
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py int8_mlp_data %t.dir/int8_mlp.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print hidden1:i8[8,64] --print hidden2:i8[8,48] --print logits:f32[8,10] --print classes:u8[8] --dump hidden1:512=%t.hidden1 \
# RUN:     --dump hidden2:384=%t.hidden2 --dump logits:320=%t.logits --dump classes:8=%t.classes \
# RUN:     --trace=%t.trace --trace-from=_start --trace-insns=56 %t > %t.out
# RUN: %python %tools/reference.py int8_mlp %t.hidden1 %t.hidden2 %t.logits %t.classes
# RUN: %python %tools/golden.py %S/int8_mlp.expected %t.out
# RUN: %python %tools/golden.py %S/int8_mlp.trace %t.trace
#
# Integers: neither lanes nor slaves show.
# RUN: echo 'matrix: {lanes: 4, slaves: 5}' > %t.yaml && %temu --machine %t.yaml --dump hidden2:384=%t.hidden4 --dump logits:320=%t.logits4 %t
# RUN: cmp %t.hidden2 %t.hidden4 && cmp %t.logits %t.logits4

        .include "tensor.inc"

        .equ    BATCH, 8
        .equ    CONSTANTS, 16
        .equ    IN, 64 + CONSTANTS
        .equ    HIDDEN1, 48 + CONSTANTS
        .equ    HIDDEN2, 32 + CONSTANTS
        .equ    CLASSES, 10
        .equ    COPIED, 16 + BATCH * IN + IN * HIDDEN1 + HIDDEN1 * HIDDEN2 + HIDDEN2 * CLASSES

# out = scale * (in * weights) as f32, by way of `sums`; the scale is the f32 at `place` after s0. Leaves the address of `out` in a1 and
# the number of values in a3.
        .macro  scaled_product out, outputs, in, inputs, weights, place
        la      a0, sums
        la      a1, \in
        la      a2, \weights
        mm.i8   a0, a1, a2, BATCH, \inputs, \outputs
        flw     fa0, \place(s0)
        li      a3, BATCH * \outputs
        mcvt.f32.i32 a0, a0, a3
        la      a1, \out
        mms.f32 a1, a0, a3, fa0
        .endm

        .text
        .globl  _start
        .type   _start, @function
_start:
        dma_in  scales, parameters, COPIED
        la      s0, parameters

        scaled_product sums, HIDDEN1, batch, IN, weights1, 0
        la      a0, hidden1
        mcvt.i8.f32 a0, a1, a3

        scaled_product sums, HIDDEN2, hidden1, HIDDEN1, weights2, 4
        la      a0, hidden2
        mcvt.i8.f32 a0, a1, a3

        scaled_product logits, CLASSES, hidden2, HIDDEN2, weights3, 8

        # The class of each row is the place of its largest logit, the first one of equals.
        walk    0, logits, FLOAT, BATCH * CLASSES, 1
        la      s1, classes
next_row:
        tflw    fa0, 0
        li      t1, 0                   # where the largest is
        li      t2, 1                   # where the walk is
next_logit:
        tflw    fa1, 0
        fle.s   t0, fa1, fa0
        bnez    t0, 1f
        fmv.s   fa0, fa1
        mv      t1, t2
1:
        addi    t2, t2, 1
        li      t0, CLASSES
        bne     t2, t0, next_logit
        sb      t1, (s1)
        addi    s1, s1, 1
        until_done 0, next_row
        exit_program
        .size   _start, . - _start

        .section .rodata
        .balign 4
        .globl  parameters
parameters:
        .incbin "int8_mlp.bin"

        .data
        .globl  classes
        .type   classes, @object
classes:        .zero   BATCH
        .size   classes, . - classes

        .section .spm.bss, "aw", @nobits
        .balign 4
scales:         .zero   16
batch:          .zero   BATCH * IN
weights1:       .zero   IN * HIDDEN1
weights2:       .zero   HIDDEN1 * HIDDEN2
weights3:       .zero   HIDDEN2 * CLASSES
        .globl  hidden1
        .type   hidden1, @object
hidden1:        .zero   BATCH * HIDDEN1
        .size   hidden1, . - hidden1
        .globl  hidden2
        .type   hidden2, @object
hidden2:        .zero   BATCH * HIDDEN2
        .size   hidden2, . - hidden2
        .balign 4
sums:           .zero   4 * BATCH * HIDDEN1
        .globl  logits
        .type   logits, @object
logits:         .zero   FLOAT * BATCH * CLASSES
        .size   logits, . - logits
