# Rare cases of floating-point arithmetic are executed by calls from native code once they come often, and all else as before: infinite and NaN results, other rounding modes, results that are too
# small or too large, and operands that are not NaN-boxed; with operands and results of both files, in registers of the host and in memory, in rounds that are rare and rounds that are not.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp translate optimize auto; do %temu --tier=$tier --print='sums:u64[20]' %t > %t.$tier || exit 1; done
# RUN: cmp %t.interp %t.translate && cmp %t.interp %t.optimize && cmp %t.interp %t.auto
# The values are those of qemu, which the program compares.
# RUN: %qemu %t > %t.qemu.bytes && %temu %t > %t.temu.bytes && cmp %t.qemu.bytes %t.temu.bytes
#
# Native code is left rarely: there are 72,000 rare cases.
# RUN: %temu --verbose %t 2>&1 > %t.out | sed 's/.* in \([0-9]*\) visits/\1/' > %t.visits && test "$(cat %t.visits)" -lt 10000
#
# The run stops exactly after calls, too, and what is counted is right.
# RUN: for count in $(seq 150001 150040); do \
# RUN:     for tier in interp auto; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier.state %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp.state %t.auto.state || exit 1; \
# RUN: done
# RUN: for tier in interp auto; do %temu --tier=$tier --stats %t > %t.stats.$tier || exit 1; done; cmp %t.stats.interp %t.stats.auto
#
# With an argument, a rounding mode that does not exist ends the last round.
# RUN: for tier in interp auto; do not %temu --tier=$tier --dump-state=%t.$tier.state %t last 2> %t.$tier.errors || exit 1; done
# RUN: cmp %t.interp.state %t.auto.state && cmp %t.interp.errors %t.auto.errors && FileCheck %s < %t.auto.errors
# CHECK: illegal instruction
	.option	norelax
	.equ	rounds, 4000

	# Adds the result and the flags to a sum.
	.macro	sum	result, place
	ld	t0, \place(s0)
	fmv.x.d	t1, \result
	slli	t2, t0, 1
	srli	t0, t0, 63
	or	t0, t0, t2
	xor	t0, t0, t1
	csrrw	t1, fflags, zero
	add	t0, t0, t1
	sd	t0, \place(s0)
	.endm
	.macro	sum_x	result, place
	fmv.d.x	fa7, \result
	sum	fa7, \place
	.endm

	.globl	_start
_start:	ld	s3, 0(sp)
	la	s0, sums
	la	s2, values
	li	s1, rounds
	fld	fs0, 0(s2)	# infinity
	fld	fs1, 8(s2)	# not a number
	fld	fs2, 16(s2)	# the least normal number
	fld	fs3, 24(s2)	# a large number
	fld	ft11, 32(s2)	# signaling
	li	s4, 0x3ff0000000000000
	fmv.d.x	fa0, s4
	fmv.d.x	fa1, s4
1:	andi	a0, s1, 3
	fmv.d	fa2, fa0	# usual in some rounds
	bnez	a0, 2f
	fmv.d	fa2, fs0
2:	fadd.d	fa3, fa1, fa2
	sum	fa3, 0
	fmul.d	ft0, fa1, fs1
	sum	ft0, 8
	fmul.d	fa4, fs2, fa0
	fdiv.d	ft1, fs2, fs3
	sum	ft1, 16
	fmul.d	fa4, fs3, fs3
	sum	fa4, 24
	fadd.d	fa4, fa1, fs2, rup
	sum	fa4, 32
	fdiv.d	fa5, fa0, fa1, rdn
	fadd.d	fa5, fa5, fa0
	sum	fa5, 40
	fmadd.d	ft2, fs0, fa0, fs1
	sum	ft2, 48
	feq.d	a1, fa0, ft11
	sum_x	a1, 56
	flt.d	s5, fs1, fa0
	sum_x	s5, 64
	fcvt.l.d a2, fs3, rtz
	sum_x	a2, 72
	fcvt.s.d fa6, fs3
	sum	fa6, 80
	fadd.s	fa6, fa0, fa1	# not NaN-boxed
	feq.s	a3, fa0, fa0
	fadd.s	fa6, fa6, fa6
	sum	fa6, 88
	sum_x	a3, 128
	fsqrt.d	ft3, fs2, rmm
	sum	ft3, 96
	li	t0, 2
	csrrw	zero, frm, t0
	fadd.d	fa4, fa0, fs2
	fsub.d	ft4, fa4, fa1
	csrrw	zero, frm, zero
	sum	fa4, 104
	sum	ft4, 112
	fmv.d.x	fa0, s4
	fadd.d	fa0, fa0, fa1
	fdiv.d	fa1, fa0, fs3
	fadd.d	fa1, fa1, fa0
	fmax.d	fa4, fa1, ft11
	sum	fa4, 120
	addi	s4, s4, 77
	addi	s1, s1, -1
	addi	t0, s1, -1
	bnez	t0, 3f
	addi	t0, s3, -1
	beqz	t0, 3f
	li	t0, 5
	csrrw	zero, frm, t0
3:	bnez	s1, 1b
	li	a0, 1
	la	a1, sums
	li	a2, 160
	li	a7, 64
	ecall
	li	a0, 0
	li	a7, 93
	ecall

	.data
	.balign	8
values:	.dword	0x7ff0000000000000, 0x7ff8000000000000, 0x0010000000000000, 0x7fe1234567812345, 0x7ff0000000000001
	.bss
	.balign	8
sums:	.zero	160
