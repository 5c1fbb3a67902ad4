# Transposing a tensor by walking it: elements are loaded along one row of the traversal unit and stored along another. The rows visit
# the same elements in different orders; there is no index arithmetic in the loop.
#
# It shows
#   tset, tbase, tinit   a row set up value by value: a 5 x 7 matrix read as it lies, written column by column
#   tnest                the same from a descriptor: an image of channels x height x width becomes height x width x channels
#   tlw tsw, tlbu tsb    one instruction per element
#   tdone                the end of the walk
#
# Data
#   matrix        5 x 7 words, 17 times their number; `transposed`: 7 x 5
#   image         3 x 4 x 5 bytes, their number; `permuted`: 4 x 5 x 3
#
# By hand: tasm -o t.o transpose.s && tld -o t t.o && temu --print transposed:u32[7,5] t
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print matrix:u32[5,7] --print transposed:u32[7,5] --print permuted:u8[4,5,3] \
# RUN:     --dump transposed:140=%t.matrix --dump permuted:60=%t.image --trace=%t.trace --trace-insns=60 %t > %t.out
# RUN: %python %tools/reference.py transpose %t.matrix %t.image
# RUN: %python %tools/golden.py %S/transpose.expected %t.out
# RUN: %python %tools/golden.py %S/transpose.trace %t.trace

        .equ    ROWS, 5                 # of the matrix
        .equ    COLUMNS, 7
        .equ    CHANNELS, 3             # of the image
        .equ    HEIGHT, 4
        .equ    WIDTH, 5
        .equ    SOURCE, 0               # rows of the traversal unit
        .equ    TARGET, 1
        .equ    IMAGE, 2
        .equ    PERMUTED, 3
        .equ    EXIT, 93

        .text
        .globl  _start
        .type   _start, @function
_start:
        # The source as it lies: dimension 0, the innermost, goes along a line, dimension 1 from line to line. Values are in bytes.
        la      a0, matrix
        li      a1, 4 * ROWS * COLUMNS
        tbase   SOURCE, a0
        tset.init SOURCE, 0, 0
        tset.step SOURCE, 0, 4
        tset.end  SOURCE, 0, 4 * COLUMNS
        tset.init SOURCE, 1, 0
        tset.step SOURCE, 1, 4 * COLUMNS
        tset.end  SOURCE, 1, a1
        tinit   SOURCE

        # The target has lines of ROWS words: the next element of a source line goes one target line down.
        la      a0, transposed
        tbase   TARGET, a0
        tset.init TARGET, 0, 0
        tset.step TARGET, 0, 4 * ROWS
        tset.end  TARGET, 0, a1
        tset.init TARGET, 1, 0
        tset.step TARGET, 1, 4
        tset.end  TARGET, 1, 4 * ROWS
        tinit   TARGET
1:
        tlw     t0, SOURCE
        tsw     t0, TARGET
        tdone   t1, SOURCE
        beqz    t1, 1b

        # The image, both sides from descriptors. Two descriptors: arrays of one would be walked one after the other.
        la      a0, image_walk
        tnest   IMAGE, a0
        la      a0, permuted_walk
        tnest   PERMUTED, a0
permute:
        tlbu    t0, IMAGE
        tsb     t0, PERMUTED
        tdone   t1, IMAGE
        beqz    t1, permute

        li      a0, 0
        li      a7, EXIT
        ecall
        .size   _start, . - _start

        .section .rodata
        .balign 8
image_walk:                             # width, height, channels as they lie
        .word   1, 0                    # one array
        .byte   0, 3                    # a tensor of 3 dimensions
        .half   1                       # bytes an element
        .word   1                       # contiguous: strides follow from the counts
        .dword  image
        .dword  0, WIDTH, 0             # start, count, stride: innermost first
        .dword  0, HEIGHT, 0
        .dword  0, CHANNELS, 0
permuted_walk:                          # the same order of elements, in their places in the target
        .word   1, 0
        .byte   0, 3
        .half   1
        .word   0                       # strides are given, in elements
        .dword  permuted
        .dword  0, WIDTH, CHANNELS
        .dword  0, HEIGHT, WIDTH * CHANNELS
        .dword  0, CHANNELS, 1

        .type   matrix, @object
        .balign 4
matrix:
        .set    number, 0
        .rept   ROWS * COLUMNS
        .word   17 * number
        .set    number, number + 1
        .endr
        .size   matrix, . - matrix
image:
        .set    number, 0
        .rept   CHANNELS * HEIGHT * WIDTH
        .byte   number
        .set    number, number + 1
        .endr

        .bss
        .balign 4
        .type   transposed, @object
transposed:
        .zero   4 * ROWS * COLUMNS
        .size   transposed, . - transposed
        .type   permuted, @object
permuted:
        .zero   CHANNELS * HEIGHT * WIDTH
        .size   permuted, . - permuted
