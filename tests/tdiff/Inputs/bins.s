# Counts floats into bins and moves the bins, and multiplies the floats by a weight. VALUE is the bits of one of the floats; the bins
# count those from 1 on.
	.globl _start
_start:
	la a0, bins
	la a1, values
	flw f8, 0(a0)
	flw f9, 0(a0)
	flw f10, 0(a0)
	flw f11, 0(a0)
	flw f12, 0(a1)
	flw f13, 4(a1)
	flw f14, 4(a1)
	flw f15, 4(a1)
	wput 0, f13
	f32v4wmac f4:f7, f12:f15, 0
	fadd.s f2, f12, f13
	fsw f2, 8(a1)
	f32v4hist f8:f11, f12:f15
	fsw f8, 4(a0)
	flw f0, 4(a0)
	fsd f9, 8(a0)
	fld f1, 8(a0)
	lw t0, 4(a0)
	sw t0, 16(a0)
	flw f1, 16(a0)
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 8
bins:	.word 0x3dfc0000, 0, 0, 0, 0, 0
values:	.word VALUE, 0x3f800000, 0
