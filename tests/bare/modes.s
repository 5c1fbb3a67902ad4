# User mode: entering and leaving it, illegal instructions, counters under mcounteren, MPRV, TW; machine-level CSRs and their
# writable bits; floating point that is off. The results under qemu-system-riscv64 are the same, except where QEMU is tested.
#
# RUN: %gas -march=rv64gc -I %S/Inputs -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o && %temu %t && %temu --tier=translate %t && %temu --tier=optimize %t
# RUN: %temu --trace=%t.trace %t
# RUN: %gas -march=rv64gc -I %S/Inputs --defsym QEMU=1 -o %t.q.o %s && %gld -T %S/Inputs/bare.ld -o %t.q %t.q.o && %qemu_machine %t.q

	.include "bare.inc"

	.macro	in_user label			# enters user mode; `traps` returns from it
	la	a0, \label
	call	to_user
	.endm
	# Executes an instruction in user mode that traps, and returns to machine mode.
	.macro	user_traps cause, instruction:vararg
	la	s8, 7777f
	la	a0, 7776f
	j	to_user
	.balign	4
7776:	\instruction
	ecall
7777:	check	s7, \cause
	check_address s9, 7776b
	.endm

	.text
test:	mv	s0, ra
	# Identity, reset values, unimplemented bits.
	check_csr mhartid, 0
	.ifndef	QEMU
	check_csr mvendorid, 0
	check_csr mimpid, 0
	check_csr marchid, 0
	check_csr mconfigptr, 0
	li	t0, -1
	csrr	t1, misa
	csrw	misa, zero
	csrr	t2, misa
	.set	checks, checks + 1
	li	gp, checks
	bne	t1, t2, fail
	check	t1, 2 << 62 | 1 << 23 | 1 << 20 | 1 << 12 | 1 << 8 | 1 << 5 | 1 << 3 | 1 << 2 | 1 << 1 | 1
	check_csr mstatus, 2 << 32
	csrw	mstatus, t0
	check_csr mstatus, 1 << 63 | 2 << 32 | 1 << 21 | 1 << 17 | 3 << 13 | 3 << 11 | 1 << 7 | 1 << 3
	li	t1, 1 << 11			# MPP 1
	csrw	mstatus, t1
	check_csr mstatus, 2 << 32
	csrw	mcounteren, t0
	check_csr mcounteren, 0xffffffff
	csrw	mcountinhibit, t0
	check_csr mcountinhibit, 0xfffffffd
	csrw	mcountinhibit, zero
	csrw	menvcfg, t0
	check_csr menvcfg, 0xf1
	csrw	mhpmcounter3, t0
	check_csr mhpmcounter3, 0
	csrw	mhpmevent31, t0
	check_csr mhpmevent31, 0
	check_csr hpmcounter31, 0
	li	t0, -1
	csrw	mepc, t0
	check_csr mepc, -2
	.endif
	li	t0, -1
	csrw	mscratch, t0
	check_csr mscratch, -1
	csrw	mtval, t0
	check_csr mtval, -1
	csrw	mstatus, zero

	# User mode may access all of memory, too.
	li	t0, -1
	csrw	pmpaddr0, t0
	csrwi	pmpcfg0, 0x1f

	user_does nop
	li	t0, 3 << 11
	and	t0, s11, t0
	check	t0, 0				# MPP
	user_traps 3, ebreak
	user_traps 2, mret
	check	s10, 0x30200073
	user_traps 2, csrr t0, mstatus
	user_traps 2, csrw mscratch, zero
	user_traps 2, csrr t0, mhartid
	user_traps 2, csrr t0, mcycle
	user_traps 2, csrr t0, pmpcfg0
	user_traps 2, fmv.d.x ft0, zero
	user_traps 2, frflags t0
	user_does fence
	user_does fence.i

	# The counters that mcounteren allows; where there is a supervisor mode, as QEMU's hart has, its scounteren must, too.
	.ifdef	QEMU
	csrwi	scounteren, 31
	.endif
	csrw	mcounteren, zero
	user_traps 2, csrr t0, cycle
	user_traps 2, csrr t0, time
	user_traps 2, csrr t0, instret
	user_traps 2, csrr t0, hpmcounter3
	csrwi	mcounteren, 5
	user_does csrr t0, cycle
	user_traps 2, csrr t0, time
	user_does csrr t0, instret
	.ifndef	QEMU
	csrwi	mcounteren, 10
	user_does csrr t0, time
	user_traps 2, csrr t0, cycle
	user_does csrr t0, hpmcounter3
	user_traps 2, csrr t0, hpmcounter4
	csrr	t0, time			# QEMU's machine with an HTIF has none
	.endif
	csrr	t0, cycle

	.ifndef	QEMU
	# wfi waits in user mode, too, unless TW says that it does not.
	li	t0, 0x2004000
	csrr	t1, time
	addi	t1, t1, 1000
	sd	t1, 0(t0)
	li	t1, 0x80
	csrw	mie, t1
	li	t1, 0x88			# MIE is off after it
	csrc	mstatus, t1
	la	s8, 2f
	la	a0, 1f
	j	to_user
	.balign	4
1:	wfi
	ecall
2:	csrw	mie, zero
	check	s7, 1 << 63 | 7
	check_address s9, 1b + 4
	li	t1, 1 << 21
	csrs	mstatus, t1
	user_traps 2, wfi
	csrci	mstatus, 8
	li	t0, 0x2000000
	csrwi	mie, 8
	li	t2, 1
	sw	t2, 0(t0)
	wfi
	csrw	mie, zero
	sw	zero, 0(t0)
	csrc	mstatus, t1

	# Counters: written, stopped, continued.
	li	t0, 1000
	csrw	minstret, t0
	csrr	t1, minstret
	check	t1, 1000
	csrr	t1, instret
	check	t1, 1000 + 4			# after that read: itself, li, li, bne
	csrw	mcycle, t0
	nop
	csrr	t1, cycle
	check	t1, 1001
	csrwi	mcountinhibit, 4
	csrr	t1, minstret
	nop
	csrr	t2, minstret
	.set	checks, checks + 1
	li	gp, checks
	bne	t1, t2, fail
	csrw	minstret, t0
	nop
	csrr	t1, instret
	check	t1, 1000
	csrwi	mcountinhibit, 0
	csrr	t1, instret
	check	t1, 1000
	csrr	t1, instret
	check	t1, 1004
	.endif

	# MPRV: loads and stores as in the mode of MPP, fetches not.
	li	t0, 0x18
	csrw	pmpcfg0, t0			# nothing for user mode
	la	t1, data
	li	t2, 1 << 17
	li	t3, 3 << 11
	csrc	mstatus, t3
	csrs	mstatus, t2
	traps	5, ld t4, 0(t1)
	csrc	mstatus, t3
	csrs	mstatus, t2
	traps	7, sd t4, 0(t1)
	csrs	mstatus, t3			# MPP is machine mode
	csrs	mstatus, t2
	ld	t4, 0(t1)
	csrc	mstatus, t2
	csrwi	pmpcfg0, 0x1f
	# mret to user mode clears it; to machine mode it does not.
	csrs	mstatus, t2
	csrs	mstatus, t3
	la	t0, 1f
	csrw	mepc, t0
	mret
1:	csrr	t4, mstatus
	and	t4, t4, t2
	check	t4, 1 << 17
	user_does nop
	li	t2, 1 << 17
	.ifndef	QEMU				# before version 8.0 it did not know
	csrr	t4, mstatus
	and	t4, t4, t2
	check	t4, 0
	.endif
	csrc	mstatus, t2

	# Floating point: off, initial, clean, dirty.
	.equ	FS, 3 << 13
	li	t0, FS
	csrc	mstatus, t0
	traps	2, fld ft0, 0(t1)
	traps	2, c.fsd fa0, 0(a0)
	traps	2, fsw ft0, 0(t1)
	traps	2, csrr t2, fcsr
	traps	2, csrwi fflags, 0
	traps	2, fmv.x.d t2, ft0
	li	t2, 1 << 13
	csrs	mstatus, t2
	csrr	t3, fcsr			# reads change nothing
	fsd	ft0, 0(sp)
	csrr	t3, mstatus
	and	t3, t3, t0
	check	t3, 1 << 13
	fmv.d.x	ft0, zero
	csrr	t3, mstatus
	and	t4, t3, t0
	check	t4, FS
	.set	checks, checks + 1
	li	gp, checks
	bgez	t3, fail			# SD
	li	t2, 1 << 13
	csrc	mstatus, t2			# clean
	csrr	t3, mstatus
	and	t4, t3, t0
	check	t4, 2 << 13
	.set	checks, checks + 1
	li	gp, checks
	bltz	t3, fail
	fsflags	zero
	csrr	t3, mstatus
	and	t4, t3, t0
	check	t4, FS
	mv	ra, s0
	ret

	.data
	.balign	8
data:	.dword	0
