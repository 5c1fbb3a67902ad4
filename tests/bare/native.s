# Loops that become native code: their accesses to devices, to the page of tohost, to code, and to pages that the PMP takes away, in machine mode,
# with MPRV and in user mode. All tiers agree with the interpreter on the state at the end, to the instruction.
#
# RUN: %gas -march=rv64gc -I %S/Inputs -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o
# RUN: %temu --tier=interp --dump-state=%t.interpreted %t
# RUN: %temu --tier=translate --dump-state=%t.translated %t && diff %t.interpreted %t.translated
# RUN: %temu --tier=optimize --dump-state=%t.optimized %t && diff %t.interpreted %t.optimized
# RUN: %temu --dump-state=%t.auto %t && diff %t.interpreted %t.auto
# RUN: for tier in interp translate auto; do %temu --tier=$tier --stats=%t.stats.$tier %t && cmp %t.stats.interp %t.stats.$tier || exit 1; done

	.include "bare.inc"
	.equ	MTIMECMP, 0x2004000
	.equ	MTIME, 0x200bff8
	.equ	ROUNDS, 3000

	.text
test:	mv	s6, ra

# Devices. mtime is the count of instructions.
	li	s3, MTIME
	li	s4, MTIMECMP
	li	s2, ROUNDS
	li	s1, 0
1:	ld	a1, 0(s3)
	sltu	a2, s1, a1
	beqz	a2, wrong
	mv	s1, a1
	addi	a1, a1, -1
	sd	a1, 0(s4)
	addi	s2, s2, -1
	bnez	s2, 1b
	ld	a2, 0(s4)
	sub	a2, a2, s1
	check	a2, -1
	j	2f
wrong:	li	gp, 100
	j	fail
2:	li	a2, -1
	sd	a2, 0(s4)

# The page of tohost: what the program stores there beside it.
	la	s1, tohost + 64
	li	s2, ROUNDS
	li	a0, 0
1:	sd	s2, 0(s1)
	ld	a1, 0(s1)
	add	a0, a0, a1
	addi	s2, s2, -1
	bnez	s2, 1b
	check	a0, ROUNDS * (ROUNDS + 1) / 2

# Code that changes in each round, in a page of its own: an addi gets another immediate.
	jal	change
	check	a0, 300 * 301 / 2

# A page that user mode may not access: machine mode may, until MPRV is set.
	la	a2, closed
	srli	a1, a2, 2
	ori	a1, a1, 0x1ff		# 4 KiB
	csrw	pmpaddr0, a1
	li	a1, -1
	csrw	pmpaddr1, a1
	li	a1, 0x1f18
	csrw	pmpcfg0, a1
	jal	add_up
	check	a0, 36
	li	a1, 3 << 11
	csrc	mstatus, a1
	li	a1, 1 << 17
	csrs	mstatus, a1
	la	s8, 4f
	j	add_up
4:	check	s7, 5
	la	t6, closed
	bne	s10, t6, fail
	li	a1, 1 << 17
	csrc	mstatus, a1
	la	a2, closed
	jal	add_up
	check	a0, 36

# User mode, which sees the other pages only.
	la	a2, open
	la	a0, in_user
	la	s8, 5f
	j	to_user
5:	check	s7, 8
	check	a3, 36
	la	a2, closed
	la	a0, in_user
	la	s8, 6f
	j	to_user
6:	check	s7, 5

# A locked entry takes the right to write away from machine mode, too.
	la	a2, closed
	jal	fill
	li	a1, 0x1f99
	csrw	pmpcfg0, a1
	la	s8, 7f
	la	a2, closed
	j	fill
7:	check	s7, 7
	la	t6, closed
	bne	s10, t6, fail
	la	a2, open
	jal	fill
	jr	s6

# The sum of eight words at a2, often.
add_up:	li	s2, ROUNDS
1:	li	a0, 0
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	lw	a1, 4 * \number(a2)
	add	a0, a0, a1
	.endr
	addi	s2, s2, -1
	bnez	s2, 1b
	ret

fill:	li	s2, ROUNDS
	li	a0, 5
1:	sd	a0, 0(a2)
	sd	a0, 8(a2)
	addi	s2, s2, -1
	bnez	s2, 1b
	ret

	.balign	4
in_user:
	jal	add_up
	mv	a3, a0
	ecall

	.balign	4096
	.option	norvc
change:	la	s1, 3f
	lw	s3, (s1)
	li	s2, 300
	li	a0, 0
1:	slli	a1, s2, 20
	add	a1, a1, s3
	sw	a1, (s1)
	fence.i
3:	addi	a0, a0, 0
	addi	s2, s2, -1
	bnez	s2, 1b
	ret
	.balign	4096

	.data
	.balign	4096
closed:	.word	1, 2, 3, 4, 5, 6, 7, 8
	.balign	4096
open:	.word	1, 2, 3, 4, 5, 6, 7, 8
	.balign	4096
