# Instructions that native code leaves at often get a call instead of the way out, also those whose stencil with all cases of arithmetic leaves: numbers that are not
# NaN-boxed, the rounding mode that the host does not have, and data in a page with code.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp translate optimize auto; do %temu --tier=$tier --print='sums:u64[8]' %t > %t.$tier || exit 1; done
# RUN: cmp %t.interp %t.translate && cmp %t.interp %t.optimize && cmp %t.interp %t.auto
#
# There are 20,000 rounds, each with six rare cases.
# RUN: %temu --verbose %t 2>&1 > %t.out | sed 's/.* in \([0-9]*\) visits/\1/' > %t.visits && test "$(cat %t.visits)" -lt 3000
#
# The run stops exactly after calls, too.
# RUN: for count in $(seq 200001 %soak{3|1} 200040); do \
# RUN:     for tier in interp auto; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier.state %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp.state %t.auto.state || exit 1; \
# RUN: done
#
# With an argument, the last store to the page changes code that is executed after it.
# RUN: for tier in interp translate auto; do %temu --tier=$tier --print='sums:u64[8]' %t last > %t.$tier.last || exit 1; done
# RUN: cmp %t.interp.last %t.translate.last && cmp %t.interp.last %t.auto.last && not cmp -s %t.interp %t.interp.last
	.option	norelax
	.equ	rounds, 20000

	# Adds the result to a sum.
	.macro	sum	result, place
	ld	t0, \place(s0)
	fmv.x.d	t1, \result
	xor	t0, t0, t1
	slli	t1, t0, 1
	srli	t0, t0, 63
	or	t0, t0, t1
	sd	t0, \place(s0)
	.endm

	.section .writable, "awx", @progbits
	.globl _start
_start:	ld	s3, 0(sp)
	la	s0, sums
	la	s2, counter
	la	s7, code
	li	s1, rounds
	li	t0, 0x3fd5555555555555
	fmv.d.x	fs0, t0		# not NaN-boxed as a single-precision number
	li	t0, 0x3fb33333
	fmv.w.x	fs1, t0
	fmv.d.x	fs2, s1
1:	fadd.s	fa0, fs0, fs1
	sum	fa0, 0
	fsqrt.s	fa1, fs0
	sum	fa1, 8
	fmin.s	fa2, fs0, fs1
	sum	fa2, 16
	fdiv.s	fa3, fs1, fs1, rmm
	fcvt.d.s fa3, fa3
	fadd.d	fa3, fa3, fs0, rmm
	sum	fa3, 24
	sw	s1, 0(s2)
	lw	t1, 0(s2)
	add	s4, s4, t1
	sd	s4, 32(s0)
	addi	t0, s1, -1
	bnez	t0, 2f
	addi	t0, s3, -1
	beqz	t0, 2f
	mv	s2, s7
	li	t0, 0x00700a93	# li s5, 7
	sw	t0, 0(s2)
	fence.i
code:
2:	li	s5, 5
	add	s6, s6, s5
	sd	s6, 40(s0)
	addi	s1, s1, -1
	bnez	s1, 1b
	li	a0, 0
	li	a7, 93
	ecall
	.balign	8
counter: .dword	0

	.bss
	.balign	8
sums:	.zero	64
