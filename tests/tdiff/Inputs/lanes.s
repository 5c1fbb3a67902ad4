# Writes elements of several types, which depend on WHICH.
	.section .spm, "aw"
	.ifndef WHICH
	.equ WHICH, 0
	.endif
	.balign 8
a:	.float 1, 2, 3, 4
b:	.float 1, 0.5, 0, 1
c:	.zero 16
half:	.zero 8
i:	.byte 1, 2, 3, 4
j:	.byte -1, 0, 0, 1
k:	.zero 16
	.data
	.balign 8
out:	.zero 16
seed:	.dword WHICH
	.text
	.globl _start
_start:
	la a0, seed
	ld s0, 0(a0)
	la a2, b
	lw t0, 8(a2)
	fmv.w.x fa0, t0
	fcvt.s.l fa1, s0
	fadd.s fa0, fa0, fa1
	fsw fa0, 8(a2)
	la a0, c
	la a1, a
	mm.f32 a0, a1, a2, 2, 2, 2
	la a3, half
	mcvt.bf16.f32 a3, a0, 4
	la a4, out
	dma.st a0, a4, 16
	la a1, i
	la a2, j
	sb s0, 1(a2)
	la a0, k
	mm.i8 a0, a1, a2, 2, 2, 2
	li a0, 0
	li a7, 93
	ecall
