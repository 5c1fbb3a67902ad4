# Instructions with more registers than native code has in registers of the host, which were just written.
	.globl	_start
_start:	li	s0, 1000
1:	addi	a3, a3, 3
	addi	a4, a4, 5
	xor	a6, a6, s0
	sum	a0, a1, a2, a3, a4, a5, a6, 8, 9, 3
	add	a1, a1, a0
	xor	a2, a2, a1
	addi	a5, a2, 7
	mac	a4, a0, a6, a5
	addi	s0, s0, -1
	bnez	s0, 1b
	la	t0, total
	sd	a1, 0(t0)
	li	a0, 0
	li	a7, 93
	ecall
	.data
	.balign	8
total:	.dword	0
