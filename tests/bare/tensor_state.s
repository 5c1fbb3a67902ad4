# Floating point that is off does not concern the tensor units, but tensor instructions with f registers are illegal then; those that write or read
# one make mstatus.FS dirty. XS is always 0.
#
# RUN: %tasm -I %S/Inputs -o %t.o %s && %tld -T %S/Inputs/bare.ld -o %t %t.o && %temu %t

	.include "bare.inc"
	.equ	FS, 3 << 13
	.equ	XS, 3 << 15

	.macro	becomes state, instruction:vararg
	li	t0, FS
	csrc	mstatus, t0
	li	t0, 1 << 13			# initial
	csrs	mstatus, t0
	\instruction
	csrr	t0, mstatus
	li	t1, FS | XS
	and	t0, t0, t1
	check	t0, \state << 13
	.endm

	.text
test:	mv	s0, ra
	li	t0, FS
	csrc	mstatus, t0
	li	s1, 0x40000000			# the scratchpad
	li	s2, 0x40000100
	tbase	0, s1
	tset.step 0, 0, 4
	tset.end 0, 0, 64
	tinit	0
	traps	2, f32v4hist f0:f3, f4:f7
	traps	2, mms.f32 s1, s2, 4, fa0
	traps	2, tflw fa0, 0
	traps	2, tfsw fa0, 0
	mm.f32	s1, s2, s2, 2, 2, 2		# no f register
	mms.i8	s1, s2, 4, t0
	becomes	3, f32v4hist f0:f3, f4:f7
	becomes	3, mms.f32 s1, s2, 4, fa0
	becomes	3, tflw fa0, 0
	becomes	3, tfsw fa0, 0
	becomes	1, mm.f32 s1, s2, s2, 2, 2, 2
	mv	ra, s0
	ret
