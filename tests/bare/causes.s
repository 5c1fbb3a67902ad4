# Every standard exception: its mcause, mepc and mtval, and its effect on mstatus. With QEMU defined, the cases are left out in which
# qemu-system-riscv64 7.2 (-M spike -bios none) differs: it has a supervisor mode, and memory at other addresses.
#
# RUN: %gas -march=rv64gc -I %S/Inputs -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o && %temu %t && %temu --tier=translate %t && %temu --tier=optimize %t
# RUN: %temu --trace=%t.trace %t
# RUN: %gas -march=rv64gc -I %S/Inputs --defsym QEMU=1 -o %t.q.o %s && %gld -T %S/Inputs/bare.ld -o %t.q %t.q.o && %qemu_machine %t.q
# RUN: printf 'memory: {misaligned: trap}\n' >%t.yaml
# RUN: %gas -march=rv64gc -I %S/Inputs --defsym MISALIGNED=1 -o %t.m.o %s && %gld -T %S/Inputs/bare.ld -o %t.m %t.m.o
# RUN: %temu --machine=%t.yaml %t.m

	.include "bare.inc"
	.equ	NOWHERE, 0x70000000
	.equ	RAM_END, 0x88000000

	.text
test:	mv	s0, ra
	# mstatus: MIE is copied to MPIE and back; MPP is machine mode in the handler and user mode after mret.
	csrsi	mstatus, 8
	traps	11, ecall
	check	s10, 0
	li	t0, 0x1888
	and	s11, s11, t0
	check	s11, 0x1880
	csrr	t1, mstatus
	and	t1, t1, t0
	check	t1, 0x88
	csrci	mstatus, 8
	traps	11, ecall
	li	t0, 0x1888
	and	s11, s11, t0
	check	s11, 0x1800

	traps	2, .word 0xfffff06b
	check	s10, 0xfffff06b
	.ifndef	QEMU
	traps	2, .dword -1			# longer than any instruction
	check	s10, -1
	.endif
	traps	2, .half 0
	check	s10, 0
	traps	2, csrr t0, 0x5c0
	check	s10, 0x5c0022f3
	traps	2, csrw mhartid, zero
	check	s10, 0xf1401073
	traps	2, csrw cycle, zero
	csrr	t0, mhartid
	csrs	mhartid, zero			# not a write
	traps	2, fadd.d ft0, ft0, ft0		# mstatus.FS is off
	check	s10, 0x02007053
	.ifndef	QEMU
	traps	2, csrr t0, satp
	traps	2, csrr t0, medeleg
	traps	2, csrr t0, sstatus
	traps	2, sret
	traps	2, sfence.vma
	traps	2, csrr t0, pmpcfg1		# RV32's
	traps	2, csrr t0, pmpaddr16
	.endif
	.option push
	.option	norvc
	traps	3, ebreak
	.ifndef	QEMU
	check_address s10, 8887b
	.endif
	.option pop
	traps	3, c.ebreak

	# Unmapped memory: loads, stores, atomics, fetches.
	li	t1, NOWHERE
	traps	5, ld t2, 8(t1)
	check	s10, NOWHERE + 8
	traps	5, lr.w t2, (t1)
	check	s10, NOWHERE
	traps	7, sd t2, 8(t1)
	check	s10, NOWHERE + 8
	.ifndef	QEMU				# reports a load
	traps	7, amoadd.w t2, t2, (t1)
	check	s10, NOWHERE
	.endif
	traps	7, sb t2, -1(t1)
	check	s10, NOWHERE - 1
	li	t1, RAM_END
	lbu	t2, -1(t1)
	traps	7, sw t2, 0(t1)
	check	s10, RAM_END
	li	t1, -1
	traps	5, lb t2, 0(t1)
	check	s10, -1
	la	s8, 1f
	li	t1, NOWHERE
	jr	t1
1:	check	s7, 1
	check	s9, NOWHERE
	check	s10, NOWHERE
	.ifndef	QEMU				# ends with an assertion
	# An instruction whose second half is not mapped.
	li	t1, RAM_END - 2
	li	t2, 3
	sh	t2, 0(t1)
	la	s8, 1f
	jr	t1
1:	check	s7, 1
	check	s9, RAM_END - 2
	check	s10, RAM_END
	.endif
	# An odd address: jalr clears its bit 0.
	la	t1, 1f + 1
	jr	t1
1:

	# Atomics must always be aligned, loads and stores as configured.
	la	t1, data
	la	s1, data + 4
	traps	4, lr.d t2, (s1)
	check_address s10, data + 4
	.ifndef	QEMU				# allows it
	traps	6, amoswap.d t2, t2, (s1)
	check_address s10, data + 4
	traps	6, sc.d t2, t2, (s1)
	.endif
	.ifdef	MISALIGNED
	traps	4, ld t2, 4(t1)
	check_address s10, data + 4
	traps	4, lhu t2, 1(t1)
	check_address s10, data + 1
	traps	6, sd t2, 4(t1)
	check_address s10, data + 4
	traps	6, sh t2, 3(t1)
	check_address s10, data + 3
	ld	t2, 0(t1)
	check	t2, 0x1122334455667788
	.else
	ld	t2, 4(t1)
	check	t2, 0x55667711223344
	sh	t2, 3(t1)
	ld	t2, 0(t1)
	check	t2, 0x1122333344667788
	.endif
	mv	ra, s0
	ret

	.data
	.balign	8
data:	.dword	0x1122334455667788, 0x556677
