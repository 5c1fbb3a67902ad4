# The PMP from a program: each kind of match at its bounds and one byte beyond them, for loads, stores, fetches and the tensor units.
# Locked entries apply to machine mode. (tests/unit/pmp_test.c tests the matching.)
#
# RUN: %tasm -I %S/Inputs -o %t.o %s && %tld -T %S/Inputs/bare.ld -o %t %t.o && %temu %t && %temu --tier=translate %t && %temu --tier=optimize %t
# RUN: %temu --trace=%t.trace %t
# RUN: %tasm -I %S/Inputs --defsym QEMU=1 -o %t.q.o %s && %tld -T %S/Inputs/bare.ld -o %t.q %t.q.o && %qemu_machine %t.q

	.include "bare.inc"
	.equ	AREA, 0x80100000
	.equ	SPM, 0x40000000

	# An access in user mode that traps with \cause and the mtval \value.
	.macro	user_traps cause, value, instruction:vararg
	la	s8, 7777f
	la	a0, 7776f
	j	to_user
	.balign	4
7776:	\instruction
	ecall
7777:	check	s7, \cause
	check	s10, \value
	.endm
	.macro	entry number, configuration, address
	li	t0, \address
	csrw	pmpaddr\number, t0
	li	t0, \configuration << (8 * \number)
	csrs	pmpcfg0, t0
	.endm

	.text
test:	mv	s0, ra
	li	s1, AREA
	.ifndef	QEMU				# there, all is allowed until an entry is on
	# User mode may access nothing, not even to fetch.
	la	s8, 1f
	la	a0, 2f
	j	to_user
	.balign	4
2:	nop
1:	check	s7, 1
	check_address s10, 2b
	.endif

	# Entry 4: code, naturally aligned, 64 KiB, read and execute.
	entry	4, 0x1d, 0x80000000 >> 2 | 0x1fff
	user_does nop
	user_does ld t1, 0(sp)
	la	a1, _start
	user_traps 7, 0x80000000, sd t1, 0(a1)

	# Entry 0: 4 bytes, readable. Entry 1 and 2: a range [AREA + 16, AREA + 32), all. Entry 3: 16 bytes, writable and readable.
	entry	0, 0x11, AREA >> 2
	entry	1, 0x00, (AREA + 16) >> 2
	entry	2, 0x0f, (AREA + 32) >> 2
	entry	3, 0x1b, (AREA + 64) >> 2 | 1
	user_does lw t1, 0(s1)
	user_does lb t1, 3(s1)
	user_traps 5, AREA, ld t1, 0(s1)		# only half of it is allowed
	user_traps 5, AREA+4, lbu t1, 4(s1)
	user_traps 5, AREA-1, lbu t1, -1(s1)
	.ifndef	QEMU				# mtval is the address of the forbidden part, not that of the access
	user_traps 5, AREA+4, lw t1, 1(s1)
	user_traps 7, AREA+32, sd t1, 28(s1)
	.endif
	user_traps 7, AREA, sw t1, 0(s1)
	user_traps 5, AREA+15, lb t1, 15(s1)
	user_does sd t1, 16(s1)
	user_does sd t1, 24(s1)
	user_traps 7, AREA+32, sd t1, 32(s1)
	user_traps 5, AREA+63, lb t1, 63(s1)
	user_does sb t1, 64(s1)
	user_does ld t1, 72(s1)
	user_traps 7, AREA+80, sb t1, 80(s1)
	.ifndef	QEMU				# cause 5
	addi	a2, s1, 32
	user_traps 7, AREA+32, amoadd.d t1, t1, (a2)
	.endif

	.ifndef	QEMU				# fetches by page
	# Code in the range of entry 2: its last instruction, and one that is only half inside.
	li	t1, 0x00010001				# nop, nop
	sw	t1, 28(s1)
	la	s8, 1f
	addi	a0, s1, 28
	j	to_user
1:	check	s7, 1
	check	s9, AREA+32
	check	s10, AREA+32
	li	t1, 0x00130001				# nop, and half of another
	sw	t1, 28(s1)
	la	s8, 1f
	addi	a0, s1, 28
	j	to_user
1:	check	s7, 1
	check	s9, AREA+30
	check	s10, AREA+32
	# Code that was executed in machine mode is not allowed in user mode.
	li	t1, 0x8082				# ret
	sh	t1, 48(s1)
	addi	t2, s1, 48
	jalr	t2
	la	s8, 1f
	addi	a0, s1, 48
	j	to_user
1:	check	s7, 1
	check	s10, AREA+48

	# Tensor units: the scratchpad is forbidden, then allowed; all of the range in main memory must be allowed, too.
	li	s2, SPM
	user_traps 24, SPM, dma.ld s2, s1, 4
	entry	5, 0x1b, SPM >> 2 | 0xffff
	user_does dma.ld s2, s1, 4
	user_traps 24, AREA, dma.ld s2, s1, 5
	user_traps 24, AREA, dma.st s2, s1, 4
	addi	s3, s1, 16
	user_does dma.st s2, s3, 16
	user_traps 24, AREA+16, dma.st s2, s3, 17
	li	a4, 3
	user_traps 24, 3, mmv.f32 a4, 1, s2, s2, 1
	user_does mmv.f32 s2, 1, s2, s2, 1
	li	a5, 99
	user_traps 25, 99, tloc t1, a5
	.endif

	# The lower entry has priority. Machine mode is not restricted until the entry is locked.
	traps	7, sd zero, 0(s1)			# an entry has to match the whole access, whatever the mode
	check	s10, AREA
	sw	zero, 0(s1)
	lw	t1, 4(s1)
	li	t0, 0x80
	csrs	pmpcfg0, t0
	lw	t1, 0(s1)
	lw	t1, 4(s1)
	traps	7, sw t1, 0(s1)
	check	s10, AREA
	traps	5, ld t1, 0(s1)
	sw	t1, 4(s1)
	csrw	pmpaddr0, zero				# it does not change
	check_csr pmpaddr0, AREA >> 2
	csrw	pmpcfg0, zero
	check_csr pmpcfg0, 0x91
	.ifndef	QEMU
	traps	24, dma.st s2, s1, 4
	dma.ld	s2, s1, 8				# byte by byte
	.endif
	mv	ra, s0
	ret
