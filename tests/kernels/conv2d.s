# A 2-D convolution by traversal: an image of 3 x 12 x 12, eight filters of 3 x 3 x 3, zeros around the image.
#
#     out[f][y][x] = sum over c, i, j of filter[f][c][i][j] * image[c][STRIDE * y + i - PAD][STRIDE * x + j - PAD]
#
# One row of the traversal unit walks every window of the image, element by element, in the order that makes a matrix of them: a line for
# each (c, i, j), in it a column for each (y, x). Then the convolution is one product, filters (8 x 27) * patches (27 x outputs). Windows
# overlap, so the walk comes by most elements nine times; the overlap, the stride and the padding are nothing but numbers of the descriptor.
#
# Units: traversal unit for the padding and the windows, matrix unit for the product, DMA for the filters and the result.
#
# Data
#   image         main memory: 3 x 12 x 12 f32, followed by the filters
#   padded        scratchpad: the image with PAD zeros on each side
#   filters, patches   scratchpad: the operands of the product; `product`: what it gives
#   out           main memory: 8 x OUT x OUT f32; OUT = 12 with the default PAD = 1, STRIDE = 1
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py conv2d_data %t.dir/conv2d.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'out:f32[8,12,12]' --dump out:4608=%t.dump --trace=%t.trace --trace-from=windows --trace-insns=26 %t > %t.out
# RUN: %python %tools/reference.py conv2d %t.dump
# RUN: %python %tools/golden.py %S/conv2d.expected %t.out
# RUN: %python %tools/golden.py %S/conv2d.trace %t.trace
#
# Other strides and paddings, and other lanes.
# RUN: %tasm -D PAD=0 -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o && %temu --dump out:3200=%t.dump %t
# RUN: %python %tools/reference.py conv2d --pad 0 %t.dump
# RUN: %tasm -D PAD=2 -D STRIDE=3 -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o && %temu --dump out:800=%t.dump %t
# RUN: %python %tools/reference.py conv2d --pad 2 --stride 3 %t.dump
# RUN: not %python %tools/reference.py conv2d --pad 2 --stride 3 --lanes 4 %t.dump
# RUN: echo 'matrix: {lanes: 4}' > %t.yaml && %temu --machine %t.yaml --dump out:800=%t.dump %t
# RUN: %python %tools/reference.py conv2d --pad 2 --stride 3 --lanes 4 %t.dump

        .include "tensor.inc"

        .ifndef PAD
        .equ    PAD, 1
        .endif
        .ifndef STRIDE
        .equ    STRIDE, 1
        .endif
        .equ    CHANNELS, 3
        .equ    SIZE, 12                # of the image
        .equ    KERNEL, 3               # of a filter
        .equ    FILTERS, 8
        .equ    PADDED, SIZE + 2 * PAD
        .equ    OUT, (PADDED - KERNEL) / STRIDE + 1
        .equ    TAPS, CHANNELS * KERNEL * KERNEL
        .equ    IMAGE, 0                # rows of the traversal unit
        .equ    INSIDE, 1               # the image within `padded`
        .equ    WINDOWS, 2
        .equ    PATCHES, 3

        .text
        .globl  _start
        .type   _start, @function
_start:
        dma_in  filters, image + FLOAT * CHANNELS * SIZE * SIZE, FLOAT * FILTERS * TAPS

        walk    IMAGE, image, FLOAT, CHANNELS * SIZE * SIZE, 1
        walk    INSIDE, padded + FLOAT * PAD * (PADDED + 1), FLOAT, SIZE, 1, SIZE, PADDED, CHANNELS, PADDED * PADDED
inside:
        .rept   SIZE                    # a line of the image
        tlw     t1, IMAGE
        tsw     t1, INSIDE
        .endr
        until_done IMAGE, inside

        # Innermost first: along the outputs of a line, down the lines of outputs, then the place in the window.
        walk    WINDOWS, padded, FLOAT, OUT, STRIDE, OUT, STRIDE * PADDED, KERNEL, 1, KERNEL, PADDED, CHANNELS, PADDED * PADDED
        walk    PATCHES, patches, FLOAT, TAPS * OUT * OUT, 1
windows:
        .rept   OUT
        tlw     t1, WINDOWS
        tsw     t1, PATCHES
        .endr
        until_done PATCHES, windows

        la      a0, product
        la      a1, filters
        la      a2, patches
        li      a3, OUT * OUT
        mm.f32  a0, a1, a2, FILTERS, TAPS, a3
        dma_out out, product, FLOAT * FILTERS * OUT * OUT
        exit_program
        .size   _start, . - _start

        .section .rodata
        .balign 4
image:  .incbin "conv2d.bin"

        .bss
        .balign 4
        .globl  out
        .type   out, @object
out:    .zero   FLOAT * FILTERS * OUT * OUT
        .size   out, . - out

        .section .spm.bss, "aw", @nobits
        .balign 4
padded:         .zero   FLOAT * CHANNELS * PADDED * PADDED
filters:        .zero   FLOAT * FILTERS * TAPS
patches:        .zero   FLOAT * TAPS * OUT * OUT
product:        .zero   FLOAT * FILTERS * OUT * OUT
