# Software and timer interrupts: enabling, direct and vectored handlers, priority, wfi. The results under
# qemu-system-riscv64 are the same, except for the exact times.
#
# RUN: %gas -march=rv64gc -I %S/Inputs -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o && %temu %t && %temu --tier=translate %t && %temu --tier=optimize %t
# RUN: %temu --trace=%t.trace %t && FileCheck %s <%t.trace
# RUN: printf 'bare: {tick: 100}\n' >%t.yaml
# RUN: %gas -march=rv64gc -I %S/Inputs --defsym TICK=100 -o %t.t.o %s && %gld -T %S/Inputs/bare.ld -o %t.t %t.t.o && %temu --machine=%t.yaml %t.t
#
# The timer interrupt comes at the same instruction in both executors; `taken` is checked below.
# CHECK: <here{{.*}}> {{ *}}- {{ *}}(interrupt) {{ *}}| mstatus=0x200001880 mepc=0x{{[0-9a-f]+}} mcause=0x8000000000000007 mtval=0x0 interrupt=0x7

	.include "bare.inc"
	.equ	MSIP, 0x2000000
	.equ	MTIMECMP, 0x2004000
	.equ	MTIME, 0x200bff8
	.ifndef	TICK
	.equ	TICK, 1
	.endif

	.text
test:	mv	s0, ra
	li	s1, MSIP
	li	s2, MTIMECMP
	li	s3, MTIME
	li	s4, -1
	sd	s4, 0(s2)
	la	t0, once
	csrw	mtvec, t0

	# mip shows a pending interrupt even when it is disabled, and cannot be written.
	check_csr mip, 0
	li	t0, 1
	sw	t0, 0(s1)
	check_csr mip, 8
	lw	t0, 0(s1)
	check	t0, 1
	csrw	mip, zero
	check_csr mip, 8
	sd	zero, 0(s2)
	check_csr mip, 0x88
	.ifndef	QEMU
	li	t0, 0x88
	csrc	mip, t0
	check_csr mip, 0x88
	.endif
	# mie: only the implemented bits can be set.
	csrw	mie, s4
	.ifndef	QEMU
	check_csr mie, 0x888
	.endif

	# The software interrupt has priority over the timer; neither comes without MIE.
	li	s7, 0
	nop
	check	s7, 0
	la	s8, 1f
	csrsi	mstatus, 8
1:	li	t0, 1
	slli	t0, t0, 63
	addi	t1, t0, 3
	.set	checks, checks + 1
	li	gp, checks
	bne	s7, t1, fail
	check_address s9, 1b
	check	s10, 0
	li	t0, 0x1888
	and	t0, s11, t0
	check	t0, 0x1880
	sw	zero, 0(s1)
	li	s7, 0
	# The handler came back with MIE: the timer.
	csrsi	mstatus, 8
2:	li	t0, 1
	slli	t0, t0, 63
	addi	t1, t0, 7
	.set	checks, checks + 1
	li	gp, checks
	bne	s7, t1, fail
	check_address s9, 2b
	sd	s4, 0(s2)
	check_csr mip, 0

	# No interrupt without its bit in mie.
	csrw	mie, zero
	li	s7, 0
	sd	zero, 0(s2)
	csrsi	mstatus, 8
	nop
	check	s7, 0
	# A pending interrupt comes as soon as it is enabled.
	li	t0, 0x80
	csrw	mie, t0
3:	li	t0, 1
	slli	t0, t0, 63
	addi	t1, t0, 7
	.set	checks, checks + 1
	li	gp, checks
	bne	s7, t1, fail
	check_address s9, 3b
	csrci	mstatus, 8
	sd	s4, 0(s2)

	# The next instruction sees a store to the CLINT.
	li	s7, 0
	csrwi	mie, 8
	csrsi	mstatus, 8
	li	t0, 1
	sw	t0, 0(s1)
4:	nop
	.ifndef	QEMU
	check_address s9, 4b
	.endif
	sw	zero, 0(s1)
	csrci	mstatus, 8

	# Vectored: interrupts go to base + 4 * cause, exceptions to the base.
	la	t0, vectors + 1
	csrw	mtvec, t0
	check_address t0, vectors + 1
	li	s7, 0
	csrwi	mie, 8
	li	t0, 1
	sw	t0, 0(s1)
	csrsi	mstatus, 8
	nop
	sw	zero, 0(s1)
	csrci	mstatus, 8
	check	s7, 103
	li	t0, 0x80
	csrw	mie, t0
	sd	zero, 0(s2)
	csrsi	mstatus, 8
	nop
	sd	s4, 0(s2)
	csrci	mstatus, 8
	check	s7, 107
	la	s8, 1f
	ecall
1:	check	s7, 100
	.ifndef	QEMU
	csrwi	mtvec, 3		# reserved modes
	check_csr mtvec, 1
	csrwi	mtvec, 2
	check_csr mtvec, 0
	.endif

	# wfi ends when an interrupt is pending and enabled in mie; without MIE there is no trap.
	la	t0, once
	csrw	mtvec, t0
	li	s7, 0
	csrwi	mie, 8
	li	t0, 1
	sw	t0, 0(s1)
	wfi
	check	s7, 0
	sw	zero, 0(s1)
	# It waits for the timer, however long.
	li	t0, 0x80
	csrw	mie, t0
	ld	t0, 0(s3)
	li	t1, 10000000
	add	s5, t0, t1
	sd	s5, 0(s2)
	wfi
	ld	t0, 0(s3)
	sub	t1, t0, s5
	.set	checks, checks + 1
	li	gp, checks
	bltu	t0, s5, fail
	.ifndef	QEMU
	li	t2, 10
	.set	checks, checks + 1
	li	gp, checks
	bgtu	t1, t2, fail
	csrr	t3, time
	sub	t3, t3, t0
	.set	checks, checks + 1
	li	gp, checks
	bgtu	t3, t2, fail
	.endif
	check	s7, 0
	check_csr mip, 0x80
	# With MIE the interrupt is taken after the wfi.
	ld	t0, 0(s3)
	addi	t0, t0, 1000
	sd	t0, 0(s2)
	csrsi	mstatus, 8
	wfi
5:	nop
	check_address s9, 5b
	csrci	mstatus, 8

	# mtime can be written. The CLINT accepts accesses of 4 and 8 bytes only.
	.ifndef	QEMU
	la	t0, trap
	csrw	mtvec, t0
	li	t0, 0x123456789
	sd	t0, 0(s3)
	lwu	t0, 4(s3)
	check	t0, 1
	sw	zero, 4(s3)
	lwu	t0, 4(s3)
	check	t0, 0
	li	t0, 0x55667788
	sw	t0, 4(s2)
	lw	t1, 4(s2)
	check	t1, 0x55667788
	lw	t0, 8(s1)			# not a register
	check	t0, 0
	sd	s4, 8(s1)
	traps	5, lhu t0, 0(s1)
	check	s10, MSIP
	traps	5, lbu t0, 0(s1)
	traps	5, lw t0, 2(s1)
	traps	5, ld t0, 4(s1)
	traps	7, sb t0, 0(s1)
	check	s10, MSIP
	traps	7, sd t0, 4(s1)
	traps	7, amoswap.w t0, t0, (s1)
	li	t1, 0x2010000
	traps	5, ld t0, 0(t1)
	traps	5, ld t0, -4(t1)
	ld	t0, -8(t1)
	la	s8, 6f
	jr	s1				# not to be executed
6:	check	s7, 1
	.endif

	# The interrupt comes at its exact instruction, not at the end of a block.
	.ifndef	QEMU
	la	t0, once
	csrw	mtvec, t0
	li	s7, 0
	sd	zero, 0(s3)
	ld	t0, 0(s3)
	li	t1, 3000 / TICK
	add	t0, t0, t1
	sd	t0, 0(s2)
	li	t0, 0x80
	csrw	mie, t0
	csrsi	mstatus, 8
here:	ld	s6, 0(s3)
	nop
	nop
	beqz	s7, here
	# `once` read mtime at its sixth instruction.
	ld	t2, 0(s2)
	sub	t1, s5, t2
	li	t2, 5 / TICK
	.set	checks, checks + 1
	li	gp, checks
	bne	t1, t2, fail
	csrci	mstatus, 8
	.endif
	mv	ra, s0
	ret

	# Records the trap, and returns with the pending interrupt and MIE disabled.
	.balign	4
once:	csrr	s7, mcause
	csrr	s9, mepc
	csrr	s10, mtval
	csrr	s11, mstatus
	nop
	ld	s5, 0(s3)
	li	t6, 0x80
	csrc	mstatus, t6
	li	t6, 0x1800
	csrs	mstatus, t6
	mret

	.balign	4
	.option	push
	.option	norvc
vectors: j	v0
	j	v1
	j	v1
	j	v3
	j	v1
	j	v1
	j	v1
	j	v7
	.option	pop
v0:	li	s7, 100
	csrw	mepc, s8
	j	back
v1:	li	s7, 1
	j	back
v3:	li	s7, 103
	j	back
v7:	li	s7, 107
back:	li	t6, 0x80
	csrc	mstatus, t6
	li	t6, 0x1800
	csrs	mstatus, t6
	mret
