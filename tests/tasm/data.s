# Data and alignment in data and in code are laid out as in GNU as.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

.macro m1 a
 1: nop
 j 1b
.endm
lab: m1 5
 lab2: .rept 2
nop
.endr
 .p2align 3,,3
 .align 4,0
.balign 8,0x55
.word 1
.p2align 6,,4
 .data
.byte 1
.align 3
.byte 2
.p2align 3,0xff
.balignw 4,0x1234
.byte 3
.p2align 4,,2
.byte 4
.fill 3,2,0x1234
.fill 2
.fill 1,8,0x1122334455667788
.org 100
.org .+5,0xcc
.space 4,1
.skip 2
.double 1.5,-0.1,1e300,inf,nan,0f1.5,-nan
.float 1.1,3.4e38,1e-45
 .ascii "a","b" "c"
.asciz "x","y"
.string "\377\x41\t\"q"
.ascii ""
.byte -128,255,0b101,0x7f,017
.half -32768
.dword -1, 0xffffffffffffffff
.short 1
.hword 2
.2byte 3
.4byte 4
.8byte 5
.int 6
.long 7
.single 1.0
