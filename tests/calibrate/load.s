# The class load: each address is the value that was loaded before.
        .include "calibrate.inc"
        kernel
        la      a0, pointer
        mark
        settle  a0
        .rept   4
        ld      a0, 0(a0)
        .endr
        mark
        end_kernel
        .data
        .balign 8
pointer:
        .dword  pointer
