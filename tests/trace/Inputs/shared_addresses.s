# Labels at the addresses at which the linker has symbols of its own: __DATA_BEGIN__, __bss_start and _edata.
.globl _start
_start:
first:
    la a0, table
    ld a1, 0(a0)
    sd a1, 8(a0)
    la a2, zeros
    sd a1, 0(a2)
    li a7, 93
    li a0, 0
    ecall
.data
table: .dword 5, 6
alias:
.globl shared
shared: .dword 7
.bss
zeros: .zero 64
