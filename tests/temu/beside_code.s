# Data beside code, in the pages of a loop and of a function that it calls. Stores to the data before and behind the function forget nothing, and each store of which a byte is one of the function's drops its code.
# The first instruction lies on both sides of a page's end. Its halves are rewritten six times each: the first one by a store that begins in
# the data before it, the second one by a byte.
#
# RUN: %tasm -o %t.o %s && %tld -N -o %t %t.o
# RUN: for tier in interp auto translate; do %temu --tier=$tier --print sum:u64 %t | FileCheck %s || exit 1; done
# RUN: sh -c '%temu --stats --print sum:u64 %t 2>/dev/null; test $? = 0' | FileCheck %s
# RUN: sh -c '%temu --stats --trace=/dev/null --print sum:u64 %t 2>/dev/null; test $? = 0' | FileCheck %s
# CHECK: sum:u64 = 1042000
#
# There is native code of both pages, which is made again after each change only.
# RUN: for tier in auto translate; do %temu --tier=$tier --verbose %t 2>&1 | FileCheck %s --check-prefix=MADE || exit 1; done
# MADE: made {{[1-9][0-9][0-9]}} instructions native code, in {{[1-9][0-9]*}} visits
	.option	norelax
	.globl	_start
	.balign	4096
_start:	la	s0, before
	la	s1, function
	la	s2, behind
	lhu	s8, 0(s1)
	lhu	s9, other
	xor	s9, s9, s8
	li	s3, 6
	li	s7, 0
outer:	li	s5, 2000
	li	s4, 0
	li	s6, 0
1:	sd	s5, 0(s0)
	sw	s5, 0(s2)
	jalr	s1
	add	s7, s7, s4
	add	s7, s7, s6
	add	s7, s7, s6
	addi	s5, s5, -1
	bnez	s5, 1b
	xor	s8, s8, s9
	slli	t0, s8, 16
	sw	t0, -2(s1)
	jalr	s1
	sb	s3, 3(s1)
	jalr	s1
	addi	s3, s3, -1
	bnez	s3, outer
	la	t0, sum
	sd	s7, 0(t0)
	li	a0, 0
	li	a7, 93
	ecall

	.option	push
	.option	norvc
other:	li	s6, 1
	.option	pop
	.zero	4080 - (. - _start)
before:	.zero	14
	.option	push
	.option	norvc
function:
	li	s4, 1
	.option	pop
	ret
behind:	.word	0
	.balign	8
sum:	.dword	0
