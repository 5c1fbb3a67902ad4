# Two shifts and the combination of their results are a rotation in native code, whatever registers they have in common and whatever is between them: with results that are read before or after,
# with a source that one of the shifts replaces, or something else does, with accesses that leave native code between them, and in sequences that are almost these. All orders give what the interpreter
# gives, also when the run stops between the instructions.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp optimize auto; do %temu --tier=$tier --print='results:u64[8000]' %t > %t.$tier || exit 1; done
# RUN: cmp %t.interp %t.optimize && cmp %t.interp %t.auto
# RUN: %temu --tier=optimize --max-insns=20000 --dump-state=%t.20000 %t 2> %t.errors || test -s %t.20000
# RUN: for count in $(seq 20001 20030); do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier.state %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp.state %t.optimize.state || exit 1; \
# RUN: done
# The values are those of qemu, which the program compares.
# RUN: %qemu %t > %t.qemu.bytes && %temu --tier=optimize %t > %t.temu.bytes && cmp %t.qemu.bytes %t.temu.bytes
#
# RUN: %temu --tier=optimize --show-native=left_out --show-native=kept %t > %t.shown && FileCheck %s < %t.shown
# CHECK: <left_out>:
# CHECK-NOT: s{{[lr]}}l{{i?w?}} a
# CHECK: or t0,a3,a2
# CHECK: {{ror|rol|extr}}
# CHECK-NOT: s{{[lr]}}l{{i?w?}} a
# CHECK: xor a5,a5,a4
# CHECK: {{ror|rol|extr}}
# CHECK: <kept>:
# CHECK: srl{{i?w?}} a2,a2

	.macro	keep registers:vararg
	.irp	register, \registers
	sd	\register, 0(s0)
	addi	s0, s0, 8
	.endr
	.endm
	# Shifts of `source` and `again` into `one` and `other`, and what is made of them.
	.macro	rotation combine, left, by, right, back, result, one, other, source, again, between:vararg
	mv	a0, s2
	mv	a1, s3
	mv	a2, s4
	\left	\one, \source, \by
	\right	\other, \again, \back
	\between
	\combine \result, \one, \other
	.endm
	.macro	alive arguments:vararg
	rotation \arguments
	keep	a0, a1, a2, a3, t3
	.endm
	.macro	dead arguments:vararg
	rotation \arguments
	keep_result \arguments
	.endm
	.macro	keep_result combine, left, by, right, back, result, one, other, source, again, between:vararg
	mv	t0, \result
	li	a0, 1
	li	a1, 2
	li	a2, 3
	li	a3, 4
	keep	t0, t3
	.endm
	.macro	registers kind, combine, left, by, right, back
	\kind	\combine, \left, \by, \right, \back, a3, a1, a2, a0, a0
	\kind	\combine, \left, \by, \right, \back, a3, a1, a0, a0, a0
	\kind	\combine, \left, \by, \right, \back, a0, a1, a0, a0, a0
	\kind	\combine, \left, \by, \right, \back, a1, a1, a0, a0, a0
	\kind	\combine, \left, \by, \right, \back, a1, a1, a2, a0, a0
	\kind	\combine, \left, \by, \right, \back, a2, a1, a2, a0, a0
	\kind	\combine, \left, \by, \right, \back, a0, a1, a2, a0, a0
	\kind	\combine, \left, \by, \right, \back, a0, a0, a1, a0, a0
	\kind	\combine, \left, \by, \right, \back, a3, a1, a2, a0, a1
	\kind	\combine, \left, \by, \right, \back, a3, a1, a1, a0, a0
	\kind	\combine, \left, \by, \right, \back, a3, a1, a0, a0, a0, mv t3, a0
	\kind	\combine, \left, \by, \right, \back, a3, a1, a2, a0, a0, add t3, a1, a2
	\kind	\combine, \left, \by, \right, \back, a3, a1, a2, a0, a0, addi a0, a0, 5
	\kind	\combine, \left, \by, \right, \back, a3, a1, a2, a0, a0, addi a2, a2, 5
	\kind	\combine, \left, \by, \right, \back, a3, a1, a0, a0, a0, addi a0, a0, 5
	\kind	\combine, \left, \by, \right, \back, a3, a1, a0, a0, a0, ld t1, 0(s0)
	\kind	\combine, \left, \by, \right, \back, a3, a1, a0, a0, a0, sd t3, 0(t2)
	\kind	\combine, \left, \by, \right, \back, a1, a1, a2, a0, a0, sd t3, 0(t2)
	\kind	\combine, \left, \by, \right, \back, a0, a1, a0, a0, a0, fcvt.d.l fa0, a0
	\kind	\combine, \left, \by, \right, \back, zero, a1, a2, a0, a0
	.endm
	.macro	combinations left, by, right, back
	.irp	combine, or, xor, add, addw, sub, and
	registers alive, \combine, \left, \by, \right, \back
	registers dead, \combine, \left, \by, \right, \back
	.endr
	.endm

	# A store among the code leaves native code.
	.section .writable, "awx", @progbits
	.balign	8
spot:	.dword	0
	.globl	_start
	.option	norelax
_start:	li	s1, 100
	li	s2, 0x89abcdef01234567
	li	s3, -3
	li	s4, 0x123456789
	la	t2, spot
1:	la	s0, results
	add	s2, s2, s1
	xor	s3, s3, s2
	call	words
	call	doublewords
	call	others
	call	left_out
	call	kept
	addi	s1, s1, -1
	bnez	s1, 1b
	li	a0, 1
	la	a1, results
	li	a2, 64000
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall

words:	combinations slliw, 7, srliw, 25
	combinations srliw, 31, slliw, 1
	ret
doublewords:
	combinations slli, 51, srli, 13
	combinations srli, 1, slli, 63
	ret
# Almost the same.
others:	combinations slliw, 8, srliw, 25
	combinations slli, 7, srliw, 25
	combinations slliw, 25, sraiw, 7
	ret

left_out:
	mv	a2, s2
	slliw	a3, a2, 7
	addi	a0, s3, 1
	srliw	a2, a2, 25
	or	t0, a3, a2
	mv	a5, t0
	slli	a4, a5, 21
	srli	a5, a5, 43
	xor	a5, a5, a4
	li	a2, 1
	li	a3, 1
	li	a4, 1
	keep	t0, a5, a0
	ret
# Here a2 is read later.
kept:	mv	a2, s2
	slliw	a3, a2, 7
	srliw	a2, a2, 25
	or	t0, a3, a2
	keep	t0, a2
	ret

	.bss
	.balign	8
results:
	.zero	64000
