# --profile: two coroutines have chains of calls of their own, which go on where they were left, and a stack that is copied elsewhere keeps its chain.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: for options in "" --tier=interp --tier=translate "--trace=/dev/null --trace-format=ttrace"; do \
# RUN:   %temu $options --profile=%t.folded %t && FileCheck --match-full-lines %s <%t.folded || exit 1; done
# CHECK:      _start 5
# CHECK-NEXT: _start;main 5011
# CHECK-NEXT: _start;main;swap 3500
# CHECK-NEXT: _start;main;swap_by_jump 3500
# CHECK-NEXT: _start;main;mover 6
# CHECK-NEXT: _start;main;mover;grow 13
# CHECK-NEXT: _start;main;leaf 1
# CHECK-NEXT: worker 1998
# CHECK-NEXT: worker;yield 8994
# CHECK-NEXT: worker;yield;swap 7000
# CHECK-NOT:  {{.}}
#
# Without symbols all is one function. Native code and the interpreter count the same, and calls do not leave native code.
# RUN: %tld -s -o %t.bare %t.o
# RUN: for tier in auto interp; do %temu --tier=$tier --profile=%t.$tier --profile-format=json %t.bare || exit 1; done; cmp %t.auto %t.interp
# RUN: %tasm -o %t.f.o %S/Inputs/profile_fibonacci.s && %tld -s -o %t.f %t.f.o
# RUN: for tier in auto interp; do %temu --verbose --tier=$tier --profile=%t.$tier --profile-format=json %t.f > %t.$tier.out 2>&1 || exit 1; done; cmp %t.auto %t.interp
# RUN: FileCheck --check-prefix=BARE %s <%t.auto.out
# BARE: native code, in {{[0-9][0-9]?[0-9]?}} visits
	.globl _start, main, worker, yield, swap, swap_by_jump, mover, grow, leaf
_start:
	la sp, first_top
	call main
	li a7, 93
	ecall

main:	addi sp, sp, -16
	sd ra, 8(sp)
	li s0, 500
	la s2, main_context
1:	mv a0, s2
	la a1, one
	call swap
	mv a0, s2
	la a1, two
	call swap_by_jump
	addi s0, s0, -1
	bnez s0, 1b
	call mover
	call leaf
	li a0, 0
	ld ra, 8(sp)
	addi sp, sp, 16
	ret

worker:	call yield
	j worker

yield:	addi sp, sp, -16
	sd ra, 8(sp)
	mv a0, s1
	la a1, main_context
	call swap
	ld ra, 8(sp)
	addi sp, sp, 16
	ret

swap:	sd ra, 0(a0)
	sd sp, 8(a0)
	sd s1, 16(a0)
	ld ra, 0(a1)
	ld sp, 8(a1)
	ld s1, 16(a1)
	ret

swap_by_jump:
	sd ra, 0(a0)
	sd sp, 8(a0)
	sd s1, 16(a0)
	ld t1, 0(a1)
	ld sp, 8(a1)
	ld s1, 16(a1)
	jr t1

mover:	addi sp, sp, -16
	sd ra, 8(sp)
	jal t0, grow
	ld ra, 8(sp)
	addi sp, sp, 16
	ret

grow:	la t1, second_top - 32
	ld t2, 0(sp)
	sd t2, 0(t1)
	ld t2, 8(sp)
	sd t2, 8(t1)
	ld t2, 16(sp)
	sd t2, 16(t1)
	ld t2, 24(sp)
	sd t2, 24(t1)
	mv sp, t1
	li t2, 0
	jr t0

leaf:	ret

	.data
	.balign 16
main_context:
	.zero 24
one:	.dword worker, one_top, one
two:	.dword worker, two_top, two
	.zero 4096
first_top:
	.zero 8192
one_top:
	.zero 8192
two_top:
	.zero 8192
second_top:
