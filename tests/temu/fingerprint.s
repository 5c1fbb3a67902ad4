# A program that was assembled for another ISA description runs with a warning.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o && %temu %t 2>&1 | FileCheck %s
# RUN: %tobjdump -d %t 2>&1 | FileCheck %s --check-prefix=OBJDUMP
# OBJDUMP: warning: made with ISA description 0123456789abcdef; this tobjdump has {{[0-9a-f]+}}
# CHECK: warning: made with ISA description 0123456789abcdef; this temu has {{[0-9a-f]+}}, in which the instructions that it uses are the same
# RUN: %tasm -o %t.o %s --defsym PLAIN=1 && %tld -o %t %t.o && %temu %t 2>&1 | FileCheck %s --check-prefix=QUIET --allow-empty
# QUIET-NOT: {{.}}
# RUN: %gas --defsym LONG=1 -march=rv64g -o %t.o %s && %gld -o %t %t.o && %temu %t
	.globl _start
_start:
	li a0, 0
	li a7, 93
	ecall
	.ifndef PLAIN
	.section .note.tensor.isa, "a", @note
	.balign 4
	.ifdef LONG
	.word 0xfffffff0, 0xfffffff0, 1
	.else
	.word 7, 16, 1
	.endif
	.asciz "tensor"
	.balign 4
	.ascii "0123456789abcdef"
	.endif
