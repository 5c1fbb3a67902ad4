# The first two layers of LeNet-5 as one: an image of 32 x 32, six filters of 5 x 5, biases, rectification, and of each square of 2 x 2
# values the largest.
#
#     out[f][y][x] = max over i, j in 0..1 of max(0, bias[f] + sum over r, s of filter[f][r][s] * image[2y + i + r][2x + j + s])
#
# (LeNet-5 has a sigmoid and an average in their place; networks since then have these.)
#
# A window of the image is a tile in main memory, so one transfer makes it a line of `patches`; the traversal unit says where the windows
# are. The product has a line for each position and a column for each filter. Pooling visits it in another order: the four values of a
# square, then the squares, then the filters. Adding the same bias and rounding keeps the order of values, and so does max(0, …): both are
# done once, to the largest of the four, with the same bits as if to each of them.
#
# Units: DMA for the windows, matrix unit for the product, traversal unit for every address, scalar floats for bias and maxima.
#
# Data
#   image         main memory: 32 x 32 f32, followed by the biases (6) and the filters, a line for each place in the window (25 x 6)
#   bias, filters, patches, product   scratchpad
#   out           scratchpad: 6 x 14 x 14 f32
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py cnn_layer_data %t.dir/cnn_layer.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'out:f32[6,14,14]' --dump out:4704=%t.dump --trace=%t.trace --trace-from=pool --trace-insns=48 %t > %t.out
# RUN: %python %tools/reference.py cnn_layer %t.dump
# RUN: %python %tools/golden.py %S/cnn_layer.expected %t.out
# RUN: %python %tools/golden.py %S/cnn_layer.trace %t.trace
#
# RUN: %temu --trace=%t.patches --trace-from=patch --trace-insns=16 %t && %python %tools/golden.py %S/cnn_layer_patch.trace %t.patches

        .include "tensor.inc"

        .equ    SIZE, 32                # of the image
        .equ    KERNEL, 5               # of a filter
        .equ    FILTERS, 6
        .equ    OUT, SIZE - KERNEL + 1  # of the convolution
        .equ    POOLED, OUT / 2
        .equ    TAPS, KERNEL * KERNEL
        .equ    WINDOWS, 0              # rows of the traversal unit
        .equ    PATCHES, 1
        .equ    SQUARES, 2
        .equ    BIASES, 3
        .equ    OUTPUTS, 4

        .text
        .globl  _start
        .type   _start, @function
_start:
        dma_in  bias, image + FLOAT * SIZE * SIZE, FLOAT * FILTERS * (1 + TAPS)

        # Each step of these rows is a window and a line of patches.
        walk    WINDOWS, image, FLOAT, OUT, 1, OUT, SIZE
        walk    PATCHES, patches, FLOAT, OUT * OUT, TAPS
        li      s0, FLOAT * SIZE
patch:
        .rept   OUT
        tnext   a0, PATCHES
        tnext   a1, WINDOWS
        dma.ld2 a0, a1, KERNEL, FLOAT * KERNEL, s0
        .endr
        until_done WINDOWS, patch

        la      a0, product
        la      a1, patches
        la      a2, filters
        li      a3, OUT * OUT
        mm.f32  a0, a1, a2, a3, TAPS, FILTERS

        walk    SQUARES, product, FLOAT, 2, FILTERS, 2, FILTERS * OUT, POOLED, 2 * FILTERS, POOLED, 2 * FILTERS * OUT, FILTERS, 1
        walk    BIASES, bias, FLOAT, POOLED * POOLED, 0, FILTERS, 1
        walk    OUTPUTS, out, FLOAT, FILTERS * POOLED * POOLED, 1
        fmv.w.x fs0, zero
pool:
        .rept   POOLED
        tflw    fa0, SQUARES
        tflw    fa1, SQUARES
        tflw    fa2, SQUARES
        tflw    fa3, SQUARES
        fmax.s  fa0, fa0, fa1
        fmax.s  fa2, fa2, fa3
        fmax.s  fa0, fa0, fa2
        tflw    fa1, BIASES
        fadd.s  fa0, fa0, fa1
        fmax.s  fa0, fa0, fs0
        tfsw    fa0, OUTPUTS
        .endr
        until_done OUTPUTS, pool
        exit_program
        .size   _start, . - _start

        .section .rodata
        .balign 4
image:  .incbin "cnn_layer.bin"

        .section .spm.bss, "aw", @nobits
        .balign 4
bias:           .zero   FLOAT * FILTERS
filters:        .zero   FLOAT * TAPS * FILTERS
patches:        .zero   FLOAT * OUT * OUT * TAPS
product:        .zero   FLOAT * OUT * OUT * FILTERS
        .globl  out
        .type   out, @object
out:            .zero   FLOAT * FILTERS * POOLED * POOLED
        .size   out, . - out
