# The backtrace of assembly code with .cfi_* directives: without a frame pointer, with the return address in an unusual place, or in a register. The
# caller of a function without directives is found through ra.
#
# RUN: %tasm -g -o %t.o %s && %tld -o %t %t.o
# RUN: sh -c '%temu %t; test $? = 139' 2>&1 | FileCheck %s
# RUN: %gas -march=rv64gc -g -o %t.g.o %s && %gld -o %t.g %t.g.o
# RUN: sh -c '%temu %t.g; test $? = 139' 2>&1 | FileCheck %s
# CHECK: backtrace
# CHECK-NEXT: #0 0x{{[0-9a-f]+}} <leaf> at {{.*}}unwind_assembly.s:[[#@LINE+11]]
# CHECK-NEXT: #1 0x{{[0-9a-f]+}} <in_register+0x{{[0-9a-f]+}}> at {{.*}}unwind_assembly.s:[[#@LINE+18]]
# CHECK-NEXT: #2 0x{{[0-9a-f]+}} <odd+0x{{[0-9a-f]+}}> at {{.*}}unwind_assembly.s:[[#@LINE+29]]
# CHECK-NEXT: #3 0x{{[0-9a-f]+}} <_start+0x{{[0-9a-f]+}}> at {{.*}}unwind_assembly.s:[[#@LINE+36]]
# CHECK-NOT: #4
        .text
        .globl  _start

# This function has no frame and no .cfi_* directives.
        .type   leaf, @function
leaf:
        ld      a0, 0(zero)
        ret

        .type   in_register, @function
in_register:
        .cfi_startproc
        mv      s1, ra
        .cfi_register ra, s1
        call    leaf
        jr      s1
        .cfi_endproc

        .type   odd, @function
odd:
        .cfi_startproc
        addi    sp, sp, -96
        .cfi_def_cfa_offset 96
        sd      ra, 40(sp)
        .cfi_offset ra, -56
        li      s0, 0
        call    in_register
        ret
        .cfi_endproc

        .type   _start, @function
_start:
        .cfi_startproc
        .cfi_undefined ra
        call    odd
        .cfi_endproc
