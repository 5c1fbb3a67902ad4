# Computes 6 * 7 + 0 with the new instruction and exits with it.
    .globl _start
_start:
    li  a1, 6
    li  a2, 7
    mac a0, a1, a2, zero
    li  a7, 93
    ecall
