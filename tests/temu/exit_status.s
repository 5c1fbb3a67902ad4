# temu returns the exit status of the program and passes arguments to it. The output of the program precedes that of temu.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: sh -c '%temu %t one "two words"; test $? = 3' | FileCheck %s --match-full-lines
# RUN: sh -c '%qemu %t one "two words"; test $? = 3' | FileCheck %s --match-full-lines
# RUN: sh -c '%temu --print argc:i64 %t 1 2 3 4 5 6 7; test $? = 8' | FileCheck %s --check-prefix=PRINT --match-full-lines
#
# CHECK: exit_status.s.tmp
# CHECK-NEXT: one
# CHECK-NEXT: two words
# CHECK-NOT: {{.}}
#
# PRINT: 7
# PRINT-NEXT: argc:i64 = 8

	.option norelax
	.globl _start
_start:
	ld s0, 0(sp)
	la t0, argc
	sd s0, 0(t0)
	addi s1, sp, 8
	mv s2, s0
1:	ld a1, 0(s1)
	addi s1, s1, 8
	# argv[0] without its directory
	mv a3, a1
	mv a2, a1
2:	lbu t0, 0(a2)
	beqz t0, 4f
	addi a2, a2, 1
	li t1, '/'
	bne t0, t1, 2b
	mv a3, a2
	j 2b
4:	sub a2, a2, a3
	mv a1, a3
	li a0, 1
	li a7, 64
	ecall
	li a0, 1
	la a1, newline
	li a2, 1
	ecall
	addi s2, s2, -1
	bnez s2, 1b
	mv a0, s0
	li a7, 94
	ecall

	.data
	.balign 8
argc:	.dword 0
newline: .ascii "\n"
