# A large piece of data lies in several pieces of memory. Distances in it are known at once, values
# are stored in the right piece, and what follows a large space does, too.
# RUN: %tasm -o %t.o %s && %gas -o %t.gnu.o %s
# RUN: for s in .rodata .space; do %gobjcopy -O binary -j $s %t.o %t.1 && %gobjcopy -O binary -j $s %t.gnu.o %t.2 && cmp %t.1 %t.2 && wc -c <%t.1 || exit 1; done | FileCheck %s
# RUN: %greadelf -rW %t.o | sed '/^000/!d; s/  */ /g' | sort >%t.1 && %greadelf -rW %t.gnu.o | sed '/^000/!d; s/  */ /g' | sort >%t.2 && cut -d' ' -f1,3,5- %t.1 >%t.3 && cut -d' ' -f1,3,5- %t.2 | cmp - %t.3
# CHECK: 216000
# CHECK-NEXT: 100121
    .section .rodata, "a"
first:
    .rept 6000
1:  .string "23 bytes, and a 0 here."
    .half -2
    .uleb128 127
    .byte 7
    .dword 1b
    .endr
last:
    .if last - first != 36 * 6000
    .error "the distance is not known"
    .endif
    .section .space, "a"
    .byte 1
    .zero 100000
    .rept 10
    .word last - first, 2
    .word first
    .endr
