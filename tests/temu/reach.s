# Accesses to tables by indexes of limited size: native code checks the register with the table's address, or nothing. The registers and the
# values are right in every tier, also where, in the last round, the index or the base that the argument names leads far before or after memory,
# or the base is not an address but the sum is one.
#
# RUN: %tasm -march=rv64gc_zba -o %t.o %s && %tld -o %t %t.o
# RUN: for case in "" $(seq 1 24); do \
# RUN:     for tier in interp optimize auto; do %temu --tier=$tier --dump-state=%t.$tier %t $case > %t.$tier.bytes 2> %t.$tier.errors; echo $? >> %t.$tier; done; \
# RUN:     for tier in optimize auto; do for what in "" .bytes .errors; do cmp %t.interp$what %t.$tier$what || exit 1; done; done; \
# RUN: done
# RUN: %temu %t > %t.bytes && %qemu -cpu rv64,zba=true %t | cmp - %t.bytes
# RUN: %temu %t 23 | cmp - %t.bytes
# RUN: not %temu %t 3 2>&1 | FileCheck %s --check-prefix=FAR
# FAR: fault
#
# Where little address space is to be had, there is no room for such sums, and all is checked.
# RUN: (%limit_memory 20000000; %temu --tier=optimize %t) | cmp - %t.bytes
#
# RUN: %temu --tier=optimize --show-native=words %t > %t.shown && FileCheck %s < %t.shown
# CHECK: native code of {{.*}}words
# CHECK: [check: s0 is an address]
# CHECK-NOT: [check: t
# CHECK: lhu t3,2(t3)
#
# An index that may be too large, or a base that was written since then, does not spare the check. What is read instead is likely not to be there.
# RUN: %temu --tier=optimize --show-native=shifted %t > %t.shown && FileCheck %s --check-prefix=SHIFTED < %t.shown
# SHIFTED: [check: t0 is an address]
# SHIFTED: [check: t1 is an address]
# SHIFTED: [check: t2 is an address]
# RUN: %temu --tier=optimize --show-native=moved %t > %t.shown && FileCheck %s --check-prefix=MOVED < %t.shown
# MOVED: [check: t0 is an address]
# MOVED: ld t0,0(t0)
# MOVED: [check: s0 is an address]
# MOVED: ld t1,0(s0)
# MOVED: [check: s0 is an address]
# MOVED: ld t2,0(s0)

	# Gives the result the second value if the argument is the number, in the last round, or else the first one.
	.macro	choose result, number, usual, other
	li	\result, \number
	bne	\result, s6, 1f
	bnez	s3, 1f
	li	\result, \other
	j	2f
1:	li	\result, \usual
2:
	.endm

	.globl	_start
	.option	norelax
_start:	ld	t0, 0(sp)
	li	s6, 0
	addi	t0, t0, -1
	beqz	t0, 3f
	ld	t0, 16(sp)
	lbu	t1, 0(t0)
	addi	s6, t1, -'0'
	lbu	t1, 1(t0)
	beqz	t1, 3f
	slli	t2, s6, 3
	slli	s6, s6, 1
	add	s6, s6, t2
	addi	t1, t1, -'0'
	add	s6, s6, t1
3:	li	s3, 400
	la	s1, table
	la	s2, results
round:	addi	s3, s3, -1
	call	words
	call	halves
	call	unsigned
	call	shifted
	call	stores
	call	moved
	call	offset
	call	pointer
	bnez	s3, round
	li	a0, 1
	la	a1, results
	li	a2, 128
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall

words:	mv	s0, s1
	choose	a0, 1, 3, -0x80000000
	choose	a1, 2, 5, 0x7fffffff
	choose	a2, 3, 7, -0x7ffffff0
	choose	a3, 4, 1, 0x40000000
	addw	a0, a0, s3
	subw	a0, a0, s3
	addw	a1, a1, zero
	addw	a2, a2, zero
	addw	a3, a3, zero
	j	1f
1:	addw	a0, a0, zero
	addw	a1, a1, zero
	addw	a2, a2, zero
	addw	a3, a3, zero
	slli	t0, a0, 3
	add	t0, t0, s0
	ld	t0, 0(t0)
	addi	t1, a1, 1
	slli	t1, t1, 3
	add	t1, s0, t1
	ld	t1, 8(t1)
	sh3add	t2, a2, s0
	lw	t2, 4(t2)
	sh2add	t3, a3, s0
	lhu	t3, 2(t3)
	add	t0, t0, t1
	add	t0, t0, t2
	add	t0, t0, t3
	sd	t0, 0(s2)
	ret

halves:	mv	s0, s1
	choose	a0, 5, 3, -1
	choose	a1, 6, 5, 0x3fffffff
	la	t0, numbers
	choose	a2, 7, 0, 1
	sh2add	t0, a2, t0
	lhu	t1, 0(t0)
	sh1add	t1, t1, s0
	lhu	t1, 0(t1)
	slli	t2, a0, 48
	srli	t2, t2, 45
	add	t2, t2, s0
	ld	t2, -24(t2)
	add	t1, t1, t2
	addw	a1, a1, a1
	sh1add	a1, a1, s0
	lbu	t3, 0(a1)
	add	t1, t1, t3
	sd	t1, 8(s2)
	ret

unsigned:
	mv	s0, s1
	choose	a0, 8, 3, -1
	choose	a1, 9, 5, -2
	choose	a2, 10, 2, -3
	choose	a3, 11, 1, -4
	slli	a0, a0, 32
	srli	a0, a0, 29
	add	a0, a0, s0
	ld	t0, 0(a0)
	sh3add.uw a1, a1, s0
	ld	t1, 0(a1)
	add.uw	a2, a2, s0
	lbu	t2, 0(a2)
	la	t3, numbers
	sd	a3, 8(t3)
	lwu	t3, 8(t3)
	add	t3, s0, t3
	lbu	t3, 0(t3)
	add	t0, t0, t1
	add	t0, t0, t2
	add	t0, t0, t3
	sd	t0, 16(s2)
	ret

# Shifts that make the index too large to be small.
shifted:
	mv	s0, s1
	choose	a0, 12, 3, 0x7fffffff
	choose	a1, 13, 5, -0x80000000
	choose	a2, 14, 0, 0x7fffffff
	addw	a0, a0, zero
	slli	t0, a0, 5
	add	t0, t0, s0
	ld	t0, -80(t0)
	addw	a1, a1, zero
	slli	t1, a1, 3
	slli	t1, t1, 4
	add	t1, t1, s0
	ld	t1, -600(t1)
	addw	a2, a2, zero
	slli	t2, a2, 30
	add	t2, t2, s0
	ld	t2, 0(t2)
	add	t0, t0, t1
	add	t0, t0, t2
	sd	t0, 24(s2)
	ret

stores:	la	s0, stored
	choose	a0, 15, 3, -0x80000000
	choose	a1, 16, 5, 0x7fffffff
	addw	a0, a0, zero
	addw	a1, a1, zero
	sh3add	t0, a0, s0
	sd	s3, 0(t0)
	sh3add	t1, a1, s0
	sw	a1, 4(t1)
	ld	t0, 24(s0)
	ld	t1, 40(s0)
	add	t0, t0, t1
	sd	t0, 32(s2)
	ret

# The base is written between the sum and the access, and the sum replaces the base.
moved:	mv	s0, s1
	choose	a0, 17, 3, -0x80000000
	choose	a1, 18, 5, 0x7fffffff
	addw	a0, a0, zero
	addw	a1, a1, zero
	sh3add	t0, a0, s0
	mv	s0, s2
	ld	t0, 0(t0)
	mv	s0, s1
	slli	a1, a1, 3
	add	s0, s0, a1
	ld	t1, 0(s0)
	add	s0, s0, a1
	ld	t2, 0(s0)
	add	t0, t0, t1
	add	t0, t0, t2
	sd	t0, 40(s2)
	ret

# Sums of small numbers only, and of sums.
offset:	la	s0, table
	choose	a0, 19, 3, -0x80000000
	choose	a1, 20, 5, 0x7fffffff
	addw	a0, a0, zero
	addw	a1, a1, zero
	add	t0, s0, a0
	add	t0, t0, a1
	lbu	t0, 0(t0)
	addw	t1, s1, zero
	sh3add	t1, a0, t1
	lbu	t1, 0(t1)
	sh3add	t2, a0, s0
	sh3add	t2, a1, t2
	sh3add	t2, a1, t2
	lbu	t2, 0(t2)
	add	t0, t0, t1
	add	t0, t0, t2
	sd	t0, 48(s2)
	ret

# A base from memory, which is no address from a round on, while the sum is one, or is not.
pointer:
	la	t0, base
	choose	a0, 21, 3, 0x7fffffff
	choose	a1, 22, 0, 1
	li	t1, 23
	bne	s6, t1, 1f
	li	t1, 50
	bgtu	s3, t1, 1f
	li	a0, 0x7fffffff
	li	t1, -0x7ffffffc * 8
	add	t1, t1, s1
	j	2f
1:	mv	t1, s1
	slli	a1, a1, 40
	add	t1, t1, a1
2:	sd	t1, 0(t0)
	j	3f
3:	ld	t1, 0(t0)
	addw	a0, a0, zero
	sh3add	t2, a0, t1
	ld	t2, 0(t2)
	sh3add	t3, a0, t1
	ld	t3, 8(t3)
	add	t2, t2, t3
	sd	t2, 56(s2)
	ret

	.data
	.balign	8
table:	.set	n, 0
	.rept	64
	.dword	0x0102030405060708 * (n + 1)
	.set	n, n + 1
	.endr
	.zero	8192
stored:	.zero	64
results: .zero	128
base:	.dword	0
numbers: .half	3, 0, 0xffff, 0
	.dword	0
