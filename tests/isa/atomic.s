# Every instruction of A with all pairs of boundary values, and its results in memory and in rd; lr and sc with and without a reservation.
# The results go to standard output in binary, and must be those of qemu. GNU as and tasm must make the same object.
#
# RUN: %gas -march=rv64ia -mno-relax -o %t.gas.o %s && %tasm -march=rv64ia -mno-relax -o %t.o %s
# RUN: %gobjcopy -O binary -j .text %t.gas.o %t.gas && %gobjcopy -O binary -j .text %t.o %t.tasm && cmp %t.gas %t.tasm
# RUN: %gld -o %t %t.gas.o
# RUN: %qemu %t > %t.expected
# RUN: %temu %t > %t.actual
# RUN: wc -c < %t.actual | FileCheck %s
# RUN: cmp %t.expected %t.actual
# CHECK: {{^}}41040{{$}}

        .data
        .balign 8
values: .dword  0, 1, -1, 2, 7, -7, 0x7fffffff, 0x80000000
        .dword  0xffffffff, 0xffffffff80000000, 0x123456789abcdef0
        .dword  0x7fffffffffffffff, 0x8000000000000000
        .dword  0x100000000, 0x8000000000000001, 0x7fffffff80000000
end:
cell:   .dword  0
other:  .dword  0
        .bss
        .balign 8
results: .space 65536
        .text

        .macro  keep register
        sd      \register, 0(s4)
        addi    s4, s4, 8
        .endm

        .macro  try operation
        sd      s2, 0(s6)
        \operation a0, s3, (s6)
        ld      a1, 0(s6)
        xor     a1, a1, a0
        slli    a2, a0, 1
        add     a0, a2, a1              # one number of both: 16 * 16 * 18 pairs are enough
        keep    a0
        .endm

        .globl  _start
_start: lla     s0, values
        lla     s5, end
        lla     s4, results
        lla     s6, cell
        lla     s7, other
outer:  ld      s2, 0(s0)
        lla     s1, values
inner:  ld      s3, 0(s1)
        .irp    operation, amoswap, amoadd, amoxor, amoand, amoor, amomin, amomax, amominu, amomaxu
        try     \operation\().w
        try     \operation\().d.aqrl
        .endr
        sd      s2, 0(s6)
        lr.d    a0, (s6)
        sc.d    a1, s3, (s6)
        keep    a1
        lr.w.aq a0, (s6)
        keep    a0
        addi    s1, s1, 8
        bne     s1, s5, go
        j       next
go:     j       inner
next:   addi    s0, s0, 8
        beq     s0, s5, single
        j       outer

single: li      a2, 5
        sc.w    a0, a2, (s6)            # holds: lr.w above
        keep    a0
        sc.w    a0, a2, (s6)            # no more
        keep    a0
        lr.w    a1, 0(s6)
        sc.w    a0, a2, 0(s7)           # of another place
        keep    a0
        sc.w    a0, a2, (s6)            # gone with that
        keep    a0
        lr.d    a1, (s6)
        sd      s5, 0(s6)               # changed in between
        sc.d.rl a0, a2, (s6)
        keep    a0
        lr.d.aqrl a1, (s6)
        ld      a3, 0(s6)
        sc.d.aqrl zero, a2, (s6)        # result thrown away
        ld      a3, 0(s6)
        keep    a3
        amoadd.d zero, a2, (s6)
        ld      a3, 0(s6)
        keep    a3
        amoswap.w.rl s6, a2, (s6)       # rd is the address
        keep    s6
        amoswap.w.aq a2, a2, (s7)       # rd is the operand
        keep    a2
        ld      a2, 0(s7)
        keep    a2

        li      a0, 1
        lla     a1, results
        sub     a2, s4, a1
        li      a7, 64
        ecall
        li      a0, 0
        li      a7, 93
        ecall
