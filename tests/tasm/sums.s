# Addresses with offsets, and distances, in data: written alone in a line, in lists, and of names
# that turn out to be numbers.
# RUN: %tasm -o %t.o %s && %gas -march=rv64gc -o %t.gnu.o %s
# RUN: for o in %t %t.gnu; do %gobjcopy -O binary -j .rodata $o.o $o.bin && %gobjdump -r -j .rodata $o.o | sed 1,3d >$o.txt || exit 1; done
# RUN: cmp %t.bin %t.gnu.bin && cmp %t.txt %t.gnu.txt && wc -l <%t.txt | FileCheck %s
# CHECK: {{^}}30{{$}}
    .globl first, second, third
    .text
first:
    nop
second:
    call other
third:
    .section .rodata
here:
    .dword first+4
    .dword first - 4
    .dword first+ 0x7fffffffffffffff    # a comment
    .dword first -9223372036854775808
    .dword third-first
    .word third - first
    .half third-first
    .byte third -first
    .dword other+1, other-1, third-first, 8+other
    .word there-here
    .half there-here+1
    .dword there - here, here+2, there-2
    .dword first+0
    .dword . - here
    .dword first+(4)
    .dword first+4+4
    .dword first+04
there:
    .dword later+3
    .dword later-3, later+1
    .dword label+3
    .word label-here
    .set later, 1000
    .set label, there + 8
    .dword later+3
    .dword label+3
    .dword a0+4
