# A timer interrupt in the middle of a loop that is executed as a unit: it comes at the same instruction as in the observed executor, with the same
# counters and registers, for each instruction of the loop.
#
# RUN: %gas -march=rv64gc -I %S/Inputs -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o
# RUN: %temu --dump=taken:4096=%t.plain %t
# RUN: %temu --stats=%t.stats --trace=/dev/null --dump=taken:4096=%t.observed %t
# RUN: cmp %t.plain %t.observed
# Interrupts came at all three instructions of the loop, and at no others.
# RUN: od -An -t x8 -w32 %t.plain | cut -c2-17 | sort -u | count 3

	.include "bare.inc"
	.equ	MTIMECMP, 0x2004000
	.equ	MTIME, 0x200bff8

	.text
test:	mv	s0, ra
	la	t0, interrupted
	csrw	mtvec, t0
	la	s1, taken
	la	s2, taken + 4096
	li	s3, MTIME
	li	s4, MTIMECMP
	jal	later
	li	t0, 0x80
	csrw	mie, t0
	csrsi	mstatus, 8
again:	la	a0, filled
	la	a1, filled + 65536
fill:	sd	a0, 0(a0)
	addi	a0, a0, 8
	bne	a0, a1, fill
	bltu	s1, s2, again
	csrci	mstatus, 8
	jr	s0

# 1001 instructions later, which is not a multiple of 3.
later:	ld	t0, 0(s3)
	addi	t0, t0, 1001
	sd	t0, 0(s4)
	ret

	.balign	4
interrupted:
	csrr	t1, mepc
	csrr	t2, minstret
	sd	t1, 0(s1)
	sd	t2, 8(s1)
	sd	a0, 16(s1)
	csrr	t1, mcause
	sd	t1, 24(s1)
	addi	s1, s1, 32
	bltu	s1, s2, 1f
	csrw	mie, zero
1:	mv	t3, ra
	jal	later
	mv	ra, t3
	mret

	.bss
	.balign	4096
taken:	.space	4096
filled:	.space	65536
