# The encoder 320-200-100-50-10 of the benchmarks of the Cambricon ISA paper (ISCA 2016): four layers, each
#
#     out[i] = sigmoid(bias[i] + sum over j of weights[i][j] * in[j])
#
# The network is a list of dense_layer; all work is in that macro (include/tensor.inc, docs/kernels.md): one transfer, one product, one
# loop along three rows.
#
# Units: DMA for parameters, matrix unit for products, traversal unit for the loops, scalar floats for the sigmoid.
#
# Data
#   parameters    main memory: the input (320 f32), then for each layer its biases and its weights, row-major, a row an output
#   in, hidden…   scratchpad: the vectors between the layers; `code`: the result (10 f32)
#   buffer        scratchpad: the parameters of the layer at work, 257 KiB for the largest; `product`: its products
#
# RUN: mkdir -p %t.dir && %python %tools/reference.py autoencoder_data %t.dir/autoencoder.bin
# RUN: %tasm -I %root/include -I %t.dir -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print code:f32[10] --dump code:40=%t.dump --trace=%t.trace --trace-insns=60 %t > %t.out
# RUN: %python %tools/reference.py autoencoder %t.dump
# RUN: %python %tools/golden.py %S/autoencoder.expected %t.out
# RUN: %python %tools/golden.py %S/autoencoder.trace %t.trace
#
# The lanes are part of the arithmetic: with 4 there are other bits, and those of the reference with 4.
# RUN: echo 'matrix: {lanes: 4}' > %t.yaml && %temu --machine %t.yaml --dump code:40=%t.dump4 %t
# RUN: %python %tools/reference.py autoencoder --lanes 4 %t.dump4
# RUN: not cmp -s %t.dump %t.dump4

        .include "tensor.inc"

        .text
        .globl  _start
        .type   _start, @function
_start:
        float_constants
        dma_in  in, parameters, FLOAT * 320
        dense_layer hidden1, 200, LAYER1, in, 320, product, buffer, sigmoid
        dense_layer hidden2, 100, LAYER2, hidden1, 200, product, buffer, sigmoid
        dense_layer hidden3, 50, LAYER3, hidden2, 100, product, buffer, sigmoid
        dense_layer code, 10, LAYER4, hidden3, 50, product, buffer, sigmoid
        exit_program
        .size   _start, . - _start

        float_functions

        .section .rodata
        .balign 4
parameters:
        .incbin "autoencoder.bin"
        .equ    LAYER1, parameters + FLOAT * 320
        .equ    LAYER2, LAYER1 + FLOAT * 200 * (1 + 320)
        .equ    LAYER3, LAYER2 + FLOAT * 100 * (1 + 200)
        .equ    LAYER4, LAYER3 + FLOAT * 50 * (1 + 100)

        .section .spm.bss, "aw", @nobits
        .balign 4
in:             .zero   FLOAT * 320
hidden1:        .zero   FLOAT * 200
hidden2:        .zero   FLOAT * 100
hidden3:        .zero   FLOAT * 50
        .globl  code
        .type   code, @object
code:           .zero   FLOAT * 10
        .size   code, . - code
product:        .zero   FLOAT * 200
buffer:         .zero   FLOAT * 200 * (1 + 320)
