# Blocks with more live registers than the host has: each register must have its value wherever the program runs, stops or faults, in every
# tier. In every sum the operands were last used long ago, or just before.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: %python %tools/tiers.py %temu %t
# RUN: %qemu %t > %t.qemu && %temu --tier=optimize %t | cmp - %t.qemu && test -s %t.qemu
# RUN: for count in 500 517 533 564 590 628 629 630 700 764 828; do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp %t.optimize || exit 1; \
# RUN: done
# The same program faults in the middle of a block, at one of its loads, stores, or at an access whose base is not an address.
# RUN: %tasm -march=rv64gc --defsym FAULTS=1 -o %t.o %s && %tld -o %t.faults %t.o
# RUN: for where in 1 2 3 4 5 6; do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --dump-state=%t.$tier %t.faults $where 2> %t.errors.$tier || exit 1; done; \
# RUN:     cmp %t.interp %t.optimize && cmp %t.errors.interp %t.errors.optimize && grep -q -E '0x1?10000000' %t.errors.interp || exit 1; \
# RUN: done

	.option	norelax
	.macro	mix to, one, two
	add	\to, \one, \two
	xori	\one, \to, 0x155
	slliw	\two, \to, 3
	.endm

# Loads a pointer; in round 3 of the loop, the one that the argument says is wrong.
	.macro	access number, register, other
	ld	\other, 8*\number(gp)
	sd	\register, (\other)
	ld	\register, 8(\other)
	.endm

	.globl	_start
_start:	.ifdef FAULTS
	ld	tp, 16(sp)
	lbu	tp, (tp)
	addi	tp, tp, -'0'
	.else
	li	tp, 0
	.endif
	la	gp, pointers
	la	a0, places
	mv	a1, gp
	li	a2, 8
1:	sd	a0, (a1)
	addi	a1, a1, 8
	addi	a2, a2, -1
	bnez	a2, 1b
	li	a0, 20
	sd	a0, rounds, a1
	.irp	number, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	li	x\number, 0x1234567 * \number
	.endr
round:	mix	x5, x6, x7
	mix	x8, x9, x10
	mix	x11, x12, x13
	access	0, x14, x1
	mix	x15, x16, x17
	mix	x18, x19, x20
	mix	x21, x22, x23
	access	1, x24, x1
	mix	x25, x26, x27
	mix	x28, x29, x30
	mix	x31, x5, x9
	access	2, x13, x1
	mix	x17, x6, x21
	mix	x10, x14, x18
	access	3, x22, x1
	mix	x26, x30, x31
	mix	x7, x11, x15
	mix	x19, x23, x27
	access	4, x8, x1
	mix	x12, x16, x20
	mix	x24, x28, x25
	access	5, x29, x1
	mulw	x5, x5, x31
	divu	x6, x7, x30
	rem	x9, x10, x29
	mulhu	x11, x12, x28
	sra	x13, x14, x27
	ld	x1, rounds
	addi	x1, x1, -1
	sd	x1, rounds, x2
	li	x2, 17
	bne	x1, x2, 2f
	beqz	tp, 2f
	slli	x2, tp, 3
	add	x2, x2, gp
	li	x3, 0x10000000	# not mapped, or not an address
	andi	x1, tp, 1
	slli	x1, x1, 32
	add	x3, x3, x1
	sd	x3, -8(x2)
	la	gp, pointers
	ld	x1, rounds
2:	bnez	x1, round

	la	x1, results
	.irp	number, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	sd	x\number, 8*\number(x1)
	.endr
	li	a0, 1
	mv	a1, x1
	li	a2, 256
	li	a7, 64	# write
	ecall
	li	a0, 0
	li	a7, 93	# exit
	ecall

	.bss
	.align	3
rounds:	.zero	8
pointers: .zero	64
places:	.zero	64
results: .zero	256
