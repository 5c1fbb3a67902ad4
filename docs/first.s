# A first kernel: the product of a 2x3 and a 3x2 matrix, on the matrix unit.
#
#     tasm -o first.o first.s
#     tld -o first first.o
#     temu --print product:f32[2][2] first
#
# The sections named .spm* are in the scratchpad, where the matrix unit works.

    .section .spm.data, "aw"
    .balign 4
left:
    .float 1, 2, 3
    .float 4, 5, 6
right:
    .float 7,  8
    .float 9,  10
    .float 11, 12
    .globl product
product:
    .zero 16

    .text
    .globl _start
_start:
    la      a0, product
    la      a1, left
    la      a2, right
    mm.f32  a0, a1, a2, 2, 3, 2     # m = 2, k = 3, n = 2
    li      a0, 0
    li      a7, 93                  # exit(0)
    ecall
