# Every kind of fault of the tensor units, with its cause, its value, and how the program ends, also by the definitions.
#
# RUN: rm -f %t.reference; for case in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23; do \
# RUN:     %tasm --defsym CASE=$case -o %t.o %s && %tld -o %t %t.o || exit 1; \
# RUN:     %temu %t 2>&1; echo "case $case: status $?"; \
# RUN:     %temu --reference %t >> %t.reference 2>&1; echo "case $case: status $?" >> %t.reference; \
# RUN: done > %t.out
# RUN: diff %t.out %t.reference
# RUN: FileCheck %s < %t.out

        .equ    SPM, 0x40000000

        .globl  _start
_start:
        li      s0, SPM
        li      s1, SPM + 0x100000      # the end of the scratchpad
        la      s2, descriptor
        .if     CASE == 1
# CHECK: tensor access fault (cause 24, address 0x40000002: in the scratchpad, a multiple of 2): SIGSEGV
# CHECK: scratchpad 0x40000000 to 0x400fffff
# CHECK: case 1: status 139
        addi    a0, s0, 2
        mmv.f32 a0, 1, s0, s0, 1
        .elseif CASE == 2
# CHECK: tensor access fault (cause 24, address 0x400ffffc: in the scratchpad, a multiple of 4): SIGSEGV
# CHECK: case 2: status 139
        addi    a0, s1, -4
        mm.f32  s0, a0, s0, 1, 2, 1
        .elseif CASE == 3
# CHECK: tensor access fault (cause 24, address 0x8: the null page): SIGSEGV
# CHECK: case 3: status 139
        vmm.f32 s0, 1, s0, 1, 8
        .elseif CASE == 4
# CHECK: tensor configuration fault (cause 25, value 0x4000000000000000): SIGILL
# CHECK: case 4: status 132
        li      a0, 0x4000000000000000
        mms.f32 s0, s0, a0, fa0
        .elseif CASE == 5
# CHECK: tensor access fault (cause 24, address 0x40000000: in the scratchpad): SIGSEGV
# CHECK: case 5: status 139
        dma.ld  s0, s0, 8               # both in the scratchpad
        .elseif CASE == 6
# CHECK: tensor access fault (cause 24, address 0x[[#%x,]]: in main memory, read-only code{{.*}}): SIGSEGV
# CHECK: case 6: status 139
        la      a0, _start
        dma.st  s0, a0, 8               # code is not writable
        .elseif CASE == 7
# CHECK: tensor access fault (cause 24, address 0x0: the null page): SIGSEGV
# CHECK: case 7: status 139
        dma.ld  s0, 0, 8
        .elseif CASE == 8
# CHECK: tensor configuration fault (cause 25, value 0x7fffffffffffffff): SIGILL
# CHECK: case 8: status 132
        li      a0, 0x7fffffffffffffff
        dma.ld2 s0, s2, 3, a0, 8
        .elseif CASE == 9
# CHECK: tensor configuration fault (cause 25, value 0x8): SIGILL
# CHECK: value row 8; the unit has 8 (traversal.rows){{$}}
# CHECK: case 9: status 132
        tinit   8
        .elseif CASE == 10
# CHECK: tensor configuration fault (cause 25, value 0x9): SIGILL
# CHECK: value dimension 9; the unit has 8 (traversal.dimensions){{$}}
# CHECK: case 10: status 132
        tset.init 0, 9, 0
        .elseif CASE == 11
# CHECK: tensor configuration fault (cause 25, value 0x0): SIGILL
# CHECK: value count 0; expected at least 1{{$}}
# CHECK: case 11: status 132
        tset.repeat 0, 0, 0
        .elseif CASE == 12
# CHECK: tensor configuration fault (cause 25, value 0x5): SIGILL
# CHECK: value row 5; no array is set up in it{{$}}
# CHECK: case 12: status 132
        tloc    a0, 5                   # an empty row
        .elseif CASE == 13
# CHECK: tensor configuration fault (cause 25, value 0x0): SIGILL
# CHECK: case 13: status 132
        tset.end 2, 0, 5
        titer   a0, 2                   # a step of 0
        .elseif CASE == 14
# CHECK: tensor configuration fault (cause 25, value 0x3): SIGILL
# CHECK: value row 3; its walk has no next element{{$}}
# CHECK: case 14: status 132
        tepilogue 3, 0, 1, 1
        tnext   a0, 3
        tnext   a0, 3                   # past the end
        .elseif CASE == 15
# CHECK: tensor access fault (cause 24, address 0x20{{.*}}: SIGSEGV
# CHECK: case 15: status 139
        tepilogue 3, 0x20, 1, 0x24
        tlw     a0, 3
        .elseif CASE == 16
# CHECK: tensor access fault (cause 24, address 0x20{{.*}}: SIGSEGV
# CHECK: case 16: status 139
        tepilogue 3, 0x20, 1, 0x24
        tfsd    fa0, 3
        .elseif CASE == 17
# CHECK: tensor configuration fault (cause 25, value 0x7): SIGILL
# CHECK: value field 7 of the descriptor is malformed{{$}}
# CHECK: case 17: status 132
        tnest   0, s2                   # a kind of 7
        .elseif CASE == 18
# CHECK: tensor access fault (cause 24, address 0xfffffffffffffffc: beyond the address space, a multiple of 4): SIGSEGV
# CHECK: case 18: status 139
        li      a0, -4
        tnest   0, a0
        .elseif CASE == 19
# CHECK: tensor configuration fault (cause 25, value 0x8): SIGILL
# CHECK: case 19: status 132
        tprologue 7, 0, 1, 1
        tnext   a0, 7
        tdone   a0, 7                   # continues with a row that does not exist
        .elseif CASE == 20
# CHECK: illegal instruction (cause 2
# CHECK: case 20: status 132
        .insn   4, 0x0000000b | 8 << 7 | 8 << 15        # f32v4hist f8:f11, f8:f11
        .elseif CASE == 21
# CHECK: tensor access fault (cause 24, address 0x40000002: in the scratchpad, a multiple of 2): SIGSEGV
# CHECK: case 21: status 139
        tepilogue 3, 2, 4, 6
        tbase   3, s0
        tlw     a0, 3                   # mapped, but not aligned to a word
        .elseif CASE == 22
# CHECK: illegal instruction (cause 2
# CHECK: case 22: status 132
        csrw    tspm, a0                # read-only
        .else
# CHECK: tensor access fault (cause 24, address 0x[[#%x,]]: in main memory, read-only{{.*}}): SIGSEGV
# CHECK: case 23: status 139
        la      a0, constants           # in the wrong place, which matters more than that nothing can be written there
        dma.ld  a0, s2, 8
        .endif
        li      a7, 93
        li      a0, 0
        ecall

        .section .rodata
        .balign 8
constants:
        .zero   8
        .data
descriptor:
        .word   1, 0
        .byte   7, 1
        .half   1
        .word   0
        .dword  0
        .dword  0, 1, 1
        .zero   64
