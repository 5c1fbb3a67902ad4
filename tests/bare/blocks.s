# Cache block operations in machine mode and in user mode: menvcfg says which ones user mode may do, the PMP which blocks.
#
# RUN: %tasm -march=rv64gc_zicbom_zicboz -I %S/Inputs -o %t.o %s && %tld -T %S/Inputs/bare.ld -o %t %t.o
# RUN: %temu %t
# RUN: %temu --trace=%t.trace %t
# RUN: printf 'extensions: [g, c, zicbom]\n' > %t.yaml
# RUN: %tasm --defsym NO_ZERO=1 -march=rv64gc_zicbom_zicboz -I %S/Inputs -o %t.o %s && %tld -T %S/Inputs/bare.ld -o %t %t.o && %temu --machine %t.yaml %t

	.include "bare.inc"
	.equ	AREA, 0x80100000

	# An access in user mode that traps with \cause.
	.macro	user_traps cause, instruction:vararg
	la	s8, 7777f
	la	a0, 7776f
	j	to_user
	.balign	4
7776:	\instruction
	ecall
7777:	check	s7, \cause
	.endm

	.text
test:	mv	s0, ra
	li	s1, AREA
	li	t0, -1
	csrw	menvcfg, t0
	.ifdef	NO_ZERO
	check_csr menvcfg, 0x71
	traps	2, cbo.zero (s1)
	mv	ra, s0
	ret
	.endif
	check_csr menvcfg, 0xf1
	li	t0, 0x20			# reserved
	csrw	menvcfg, t0
	check_csr menvcfg, 0

	# Machine mode needs no permission but that of the memory.
	sd	s1, 64(s1)
	addi	a1, s1, 100
	cbo.zero (a1)
	ld	t0, 64(s1)
	check	t0, 0
	cbo.inval (s1)
	cbo.clean (s1)
	cbo.flush (s1)
	li	a2, 0x40
	traps	7, cbo.clean (a2)
	check	s10, 0x40

	# All memory for user mode, but the block at AREA + 0x80 is for reading, the one at AREA + 0xc0 not accessible in part.
	li	t0, (AREA + 0x80) >> 2 | 7
	csrw	pmpaddr0, t0
	li	t0, (AREA + 0xc8) >> 2
	csrw	pmpaddr1, t0
	li	t0, -1
	csrw	pmpaddr2, t0
	li	t0, 0x1f1019
	csrw	pmpcfg0, t0
	addi	a1, s1, 0x80
	addi	a2, s1, 0xd0

	user_traps 2, cbo.zero (s1)
	user_traps 2, cbo.inval (s1)
	user_traps 2, cbo.clean (s1)
	user_traps 2, cbo.flush (s1)
	li	t0, 0x10
	csrw	menvcfg, t0
	user_does cbo.inval (s1)
	user_traps 2, cbo.flush (s1)
	li	t0, 0xd0
	csrw	menvcfg, t0
	user_does cbo.clean (s1)
	user_does cbo.flush (s1)
	user_does cbo.zero (s1)
	user_does cbo.clean (a1)
	user_traps 7, cbo.zero (a1)
	user_traps 7, cbo.clean (a2)
	user_traps 7, cbo.zero (a2)
	check	s10, AREA + 0xd0
	mv	ra, s0
	ret
