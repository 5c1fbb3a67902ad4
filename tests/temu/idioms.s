# Shifts that clear the upper word of a register, and sums of a register and one that is shifted, are single instructions of native code, whatever
# registers they have in common, and so are shifts that extend a part of a register: with the registers apart, with the result in one of the operands, with sources that the result replaces too early,
# and in shifts that are almost these idioms. All orders give what the interpreter gives, also when the run stops between the instructions.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp optimize auto; do %temu --tier=$tier --print='results:u64[96]' %t > %t.$tier || exit 1; done
# RUN: cmp %t.interp %t.optimize && cmp %t.interp %t.auto
# RUN: %temu --tier=optimize --max-insns=3000 --dump-state=%t.3000 %t 2> %t.errors || test -s %t.3000
# RUN: for count in $(seq 3001 3040); do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier.state %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp.state %t.optimize.state || exit 1; \
# RUN: done
# The values are those of qemu, which the program compares.
# RUN: %qemu %t > %t.qemu.bytes && %temu --tier=optimize %t > %t.temu.bytes && cmp %t.qemu.bytes %t.temu.bytes
#
# RUN: %temu --tier=optimize --show-native=words --show-native=apart --show-native=sums --show-native=parts %t > %t.shown && FileCheck %s < %t.shown
# CHECK-NOT: srl{{i?}} a2,a2,0x20
# CHECK-NOT: {{add a6,a6,a1 +[0-9a-f]+ +add}}
# CHECK-NOT: add a4,a3,a4
# CHECK-NOT: srl{{i?}} s2,s2
# CHECK-NOT: sra{{i?w?}} s2,s2

	.macro	keep registers:vararg
	.irp	register, \registers
	sd	\register, 0(s0)
	addi	s0, s0, 8
	.endr
	.endm
	.macro	word result, source, right
	slli	\result, \source, 32
	srli	\result, \result, \right
	.endm
	.macro	sum result, source, left, one, other
	slli	\result, \source, \left
	add	\result, \one, \other
	.endm

	.macro	part left, by, right, back, source=a0, result=s2
	\left	\result, \source, \by
	\right	\result, \result, \back
	sd	\result, 0(s0)
	addi	s0, s0, 8
	.endm

	.globl	_start
	.option	norelax
_start:	li	s1, 200
	li	a0, 0x89abcdef
	li	a1, -3
	li	t3, 0x7fffffff80000001
	li	t4, 0x123456789
1:	la	s0, results
	add	a0, a0, s1
	xor	t3, t3, a0
	call	words
	call	apart
	call	sums
	call	parts
	call	others
	addi	s1, s1, -1
	bnez	s1, 1b
	li	a0, 1
	la	a1, results
	li	a2, 768
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall

words:	word	a2, a0, 32
	word	a3, a0, 31
	word	a4, a1, 1
	word	a5, t3, 32
	word	t5, t3, 30
	word	t6, a0, 32
	keep	a2, a3, a4, a5, t5, t6
	mv	a2, a0
	word	a2, a2, 32
	mv	t5, t3
	word	t5, t5, 29
	word	a3, a1, 33
	word	a4, a1, 63
	slli	a5, a0, 32
	srli	t5, a5, 32
	keep	a2, t5, a3, a4, a5
	slli	a2, a1, 31
	srli	a2, a2, 31
	slli	a3, a1, 32
	srai	a3, a3, 32
	slli	a4, a0, 32
	srli	a4, a0, 32
	keep	a2, a3, a4
	word	a2, a1, 29
	add	a2, a2, t3
	word	t5, a1, 31
	add	t5, t3, t5
	word	t5, t5, 32
	keep	a2, t5
	ret

# The first shift has a result of its own.
apart:	slli	a2, a0, 32
	srli	a3, a2, 32
	slli	a4, t3, 32
	srli	t5, a4, 31
	slli	a5, t3, 32
	srli	t6, a5, 1
	keep	a2, a3, a4, t5, a5, t6
	mv	a2, a0
	slli	a3, a2, 32
	srli	a2, a3, 30		# replaces the source
	mv	a4, t3
	slli	a4, a4, 32		# replaces its own
	srli	a5, a4, 32
	keep	a2, a3, a4, a5
	mv	a6, t3
	slli	a7, a6, 32
	srli	a6, a7, 31
	add	a6, a6, a1		# of a word
	mv	t5, a0
	slli	t6, t5, 32
	srli	t5, t6, 29
	add	t5, a1, t5
	slli	a4, a0, 32
	srli	a5, a4, 30
	add	a5, a5, a5
	keep	a6, a7, t5, t6, a4, a5
	slli	a2, a1, 32
	srli	zero, a2, 31
	slli	a3, zero, 32
	srli	a4, a3, 31
	add	a4, a4, a0
	keep	a2, a3, a4
	ret

sums:	sum	a2, a0, 1, a2, a1
	sum	a3, a0, 2, a1, a3
	sum	a4, a1, 3, a3, a4
	sum	t5, t3, 3, t5, t4
	sum	t6, a0, 2, t6, t3
	sum	a5, t3, 1, t4, a5
	keep	a2, a3, a4, t5, t6, a5
	sum	a2, a0, 3, a2, a2
	sum	a3, a0, 3, a1, t3
	sum	a4, a0, 4, a4, a1
	sum	a5, a0, 3, a5, zero
	mv	t5, t3
	sum	t5, t5, 3, t5, a0
	keep	a2, a3, a4, a5, t5
	slli	a2, a0, 3
	add	a3, a2, a1
	slli	a4, a0, 3
	sub	a4, a4, a1
	slli	a5, a0, 3
	addw	a5, a5, a1
	slli	zero, a0, 3
	add	zero, zero, a1
	keep	a2, a3, a4, a5, zero
	slli	a2, zero, 2
	add	a2, a2, a1
	sum	a3, a3, 3, a3, a0
	keep	a2, a3
	sext.w	a2, t3
	sext.w	t5, a1
	mv	t6, t5
	xori	a3, t3, 0
	ori	a4, t4, 0
	andi	a5, a1, 0
	slti	a6, a1, 0
	sltiu	a7, a1, 0
	slliw	t0, t3, 0
	srli	t1, t3, 0
	keep	a2, t5, t6, a3, a4, a5, a6, a7, t0, t1
	ret

# Parts of a register.
parts:	part	slli, 32, srli, 40
	part	slli, 32, srli, 63, t3
	part	slli, 32, srai, 32
	part	slli, 32, srai, 33, t3
	part	slli, 32, srai, 63, t3
	part	slli, 48, srli, 48
	part	slli, 48, srai, 48
	part	slli, 56, srai, 56
	part	slliw, 16, srliw, 16
	part	slliw, 16, sraiw, 16
	part	slliw, 24, sraiw, 24
	mv	s2, t3
	part	slli, 32, srli, 33, s2
	ret
# Almost the same.
others:	part	slli, 48, srli, 47, a0, s3
	part	slli, 47, srai, 48, a0, s3
	part	slliw, 16, srli, 16, a1, s3
	part	slli, 16, sraiw, 16, a1, s3
	part	slliw, 24, srliw, 25, a1, s3
	slli	s3, a0, 48
	srai	s3, a1, 48
	sd	s3, 0(s0)
	ret

	.bss
	.balign	8
results:
	.zero	768
