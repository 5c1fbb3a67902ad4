# The activations of include/tensor.inc over a tile of a matrix: exp, max(0, x), sigmoid and tanh of each of its elements, and the last of
# them back into the matrix.
#
# Units: DMA for the tile, which lies in pieces in main memory and contiguous in the scratchpad; traversal unit for the loops; scalar floats.
#
# Data
#   matrix        main memory: 12 x 20 f32 from -8 to 8; the tile is 6 x 8, from line 3 and column 5 on. Its first line has the ends of the
#                 functions: both zeros, both infinities, what is beyond the range of exp, a subnormal number
#   tile          scratchpad; `out`: 4 x 6 x 8 f32, a matrix for each function
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py activations_data %t.dir/activations.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'out:f32[4,6,8]' --dump out:768=%t.dump --dump matrix:960=%t.matrix --trace=%t.trace --trace-insns=80 %t > %t.out
# RUN: %python %tools/reference.py activations %t.dump %t.matrix
# RUN: %python %tools/golden.py %S/activations.expected %t.out
# RUN: %python %tools/golden.py %S/activations.trace %t.trace

        .include "tensor.inc"

        .equ    COLUMNS, 20             # of the matrix
        .equ    LINES, 12
        .equ    TILE_LINES, 6
        .equ    TILE_COLUMNS, 8
        .equ    COUNT, TILE_LINES * TILE_COLUMNS
        .equ    CORNER, matrix + FLOAT * (3 * COLUMNS + 5)

        .text
        .globl  _start
        .type   _start, @function
_start:
        float_constants
        dma_tile_in tile, CORNER, TILE_LINES, FLOAT * TILE_COLUMNS, FLOAT * COLUMNS
        map_vector exponential, out, tile, COUNT
        map_vector relu, out + FLOAT * COUNT, tile, COUNT, unroll=8
        map_vector sigmoid, out + FLOAT * COUNT * 2, tile, COUNT, unroll=4, row=2
        map_vector tanh, out + FLOAT * COUNT * 3, tile, COUNT, unroll=2, row=4
        dma_tile_out CORNER, out + FLOAT * COUNT * 3, TILE_LINES, FLOAT * TILE_COLUMNS, FLOAT * COLUMNS
        exit_program
        .size   _start, . - _start

        float_functions

        .data
        .balign 4
        .globl  matrix
        .type   matrix, @object
matrix: .incbin "activations.bin"
        .size   matrix, . - matrix

        .section .spm.bss, "aw", @nobits
        .balign 4
tile:   .zero   FLOAT * COUNT
        .globl  out
        .type   out, @object
out:    .zero   FLOAT * COUNT * 4
        .size   out, . - out
