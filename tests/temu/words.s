# Where nothing reads the upper word of a result of 32 bits, native code does not extend its sign. The registers are right all the same when
# control leaves native code: at accesses that fail, of addresses that are too high (the first argument says which one of six) and of pages that
# are not there (a second argument), and after any number of instructions.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp optimize auto; do %temu --tier=$tier --dump-state=%t.$tier --print='results:u64[16]' %t > %t.$tier.results || exit 1; done
# RUN: cmp %t.interp %t.optimize && cmp %t.interp %t.auto && cmp %t.interp.results %t.optimize.results && cmp %t.interp.results %t.auto.results
# RUN: for case in "1" "2" "3" "4" "5" "6" "1 low" "2 low" "3 low" "4 low" "5 low" "6 low"; do for tier in interp optimize auto; do \
# RUN:     not %temu --tier=$tier --dump-state=%t.$tier %t $case > %t.errors 2>&1 || exit 1; done; \
# RUN:     cmp %t.interp %t.optimize || exit 1; cmp %t.interp %t.auto || exit 1; \
# RUN: done
# RUN: for count in $(seq 3001 %soak{4|1} 3050); do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp %t.optimize || exit 1; \
# RUN: done
# The values are those of qemu, which the program writes.
# RUN: %qemu %t > %t.qemu.bytes && %temu --tier=optimize %t > %t.temu.bytes && cmp %t.qemu.bytes %t.temu.bytes
#
# The first sum is read by sums of words only, and the others by all sorts of instructions.
# RUN: %temu --tier=optimize --show-native=chain %t > %t.shown && FileCheck %s < %t.shown
# CHECK: addw a5,a0,a1
# CHECK-NOT: movslq
# CHECK-NOT: sxtw
# CHECK: addw a5,a5,a2
# CHECK: add a3,a5,a0
# CHECK: [extend: a4, a word]

	# The address for an access, which fails in the last round if it is the one that the arguments name.
	.macro	address result, number
	addi	\result, s2, -\number
	seqz	\result, \result
	neg	\result, \result
	and	\result, \result, s3
	add	\result, \result, s4
	.endm

	.globl	_start
	.option	norelax
_start:	ld	s5, 0(sp)
	addi	s5, s5, -1
	beqz	s5, 1f
	ld	t0, 16(sp)
	lbu	s6, 0(t0)
	addi	s6, s6, -'0'
1:	li	s7, 1
	slli	s7, s7, 40
	li	t0, 2
	bne	s5, t0, 2f
	li	s7, 0x60000000
2:	li	s1, 300
	li	a0, 0x7ffffffe
	li	a1, 0x89abcdef12345678
round:	addi	s3, s1, -1
	seqz	s3, s3
	neg	s3, s3
	and	s2, s3, s6
	mv	s3, s7
	la	s4, results
	address	s8, 1
	address	s9, 2
	address	s10, 3
	address	s11, 4
	address	t5, 5
	address	t6, 6
	li	a2, 0x40000001
	call	chain
	call	mixed
	call	many
	addi	s1, s1, -1
	bnez	s1, round
	li	a0, 1
	la	a1, results
	li	a2, 128
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall

	# Sums of sums, with accesses between them, and what reads all of the last one.
chain:	addw	a5, a0, a1
	addw	a5, a5, a2
	addw	a4, a5, a0
	lw	a3, 0(s8)
	subw	a4, a4, a3
	sw	a4, 8(s4)
	mulw	a4, a4, a5
	add	a3, a5, a0
	sd	a3, 16(s4)
	slliw	a5, a4, 3
	xor	a4, a4, a5
	ld	a5, 0(s9)
	addw	a4, a4, a5
	sh	a4, 24(s4)
	andi	a4, a4, 255
	sd	a4, 32(s4)
	lw	a3, 8(s4)
	addw	a3, a3, a0
	sd	a3, 120(s4)
	ret

	# Words and others, of which each half of the result is made.
mixed:	addiw	a3, a0, 1
	addiw	a4, a1, 2
	xor	a5, a3, a4
	or	a5, a5, a4
	lw	t1, 0(s10)
	and	a5, a5, t1
	ori	a5, a5, 64
	addw	t1, a5, a3
	mv	a5, t1
	subw	t1, t1, a4
	sw	a5, 40(s4)
	xor	a5, a5, t1
	ld	t2, 0(s11)
	xor	a5, a5, t2
	slli	a4, a5, 32
	srli	a4, a4, 40
	sd	a4, 48(s4)
	sext.w	a4, a5
	sext.w	a3, a4
	addiw	a4, a3, -1
	and	a5, a5, a1
	sd	a5, 56(s4)
	addw	a5, a4, a1
	or	a4, a5, a1
	addw	a5, a5, a4
	sd	a4, 64(s4)
	sd	a5, 72(s4)
	mv	a0, a5
	ret

	# More words than there are registers of the host.
many:	addw	t0, a0, a1
	addw	t1, t0, a0
	addw	t2, t1, a0
	addw	t3, t2, a0
	addw	t4, t3, a0
	addw	a2, t4, a0
	addw	a3, a2, a0
	addw	a4, a3, a0
	addw	a5, a4, a0
	addw	a6, a5, a0
	addw	a7, a6, a0
	addw	s0, a7, a0
	lw	s3, 0(t5)
	xor	t0, t0, t1
	xor	t0, t0, t2
	xor	t0, t0, t3
	xor	t0, t0, t4
	xor	t0, t0, a2
	xor	t0, t0, a3
	lw	s3, 0(t6)
	xor	t0, t0, a4
	xor	t0, t0, a5
	xor	t0, t0, a6
	xor	t0, t0, a7
	xor	t0, t0, s0
	addw	t1, t1, t0
	mulw	t2, t1, t2
	addw	t3, t2, t3
	sw	t3, 80(s4)
	srliw	t1, t1, 3
	addw	t2, t1, t2
	slliw	t3, t2, 1
	sext.w	t0, t0
	sd	t0, 88(s4)
	sd	t1, 96(s4)
	sd	t2, 104(s4)
	sd	t3, 112(s4)
	ret

	.bss
	.balign	8
results:
	.zero	128
