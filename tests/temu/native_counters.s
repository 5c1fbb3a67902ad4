# Native code reads the counters without a call: with the result in a register of the host, in memory and nowhere, anywhere in a block, and the same
# counts in all tiers.
#
# RUN: %gas -march=rv64gc -o %t.o %s && %gld -o %t %t.o
# RUN: %temu --tier=optimize --show-native=loop %t | tr -d '\0' > %t.out
# RUN: grep -aq 'rdinstret  *a5' %t.out && not grep -a 'call of' %t.out
# RUN: for tier in interp auto optimize; do %temu --tier=$tier %t > %t.$tier; done
# RUN: cmp %t.interp %t.auto && cmp %t.interp %t.optimize
# The same in the bare environment, at last with a counter that is stopped.
# RUN: %gas -march=rv64gc -I %S/../bare/Inputs --defsym BARE=1 -o %t.b.o %s && %gld -T %S/../bare/Inputs/bare.ld -o %t.b %t.b.o
# RUN: for tier in interp auto optimize; do %temu --tier=$tier --dump-state=%t.b.$tier %t.b; done
# RUN: cmp %t.b.interp %t.b.auto && cmp %t.b.interp %t.b.optimize

	.ifdef	BARE
	.include "bare.inc"
	.text
test:	mv	s11, ra
	.macro	read register, user, machine
	csrr	\register, \machine
	.endm
	.else
	.globl	_start
	.macro	read register, user, machine
	csrr	\register, \user
	.endm
_start:
	.endif
	la	s2, results
	li	s3, 0
	li	s1, 2000000
loop:	read	a5, instret, minstret
	addi	s4, s4, 1
	read	t5, cycle, mcycle
	.ifndef	BARE
	csrr	a4, time
	.endif
	read	zero, instret, minstret
	add	s3, s3, a5
	xor	s3, s3, t5
	add	s3, s3, a4
	andi	a3, s1, 7
	beqz	a3, 1f
	read	s5, instret, minstret
	sub	s5, s5, a5
	add	s3, s3, s5
1:	slli	a3, s3, 13
	xor	s3, s3, a3
	srli	a3, s3, 7
	xor	s3, s3, a3
	addi	s1, s1, -1
	bnez	s1, loop
	sd	s3, 0(s2)
	.ifdef	BARE
	csrr	a5, mcountinhibit
	bnez	a5, 2f
	csrwi	mcountinhibit, 4
	li	s1, 1000
	j	loop
2:	jr	s11
	.else
	li	a0, 1
	mv	a1, s2
	li	a2, 8
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall
	.endif

	.bss
	.balign	8
results: .space	8
