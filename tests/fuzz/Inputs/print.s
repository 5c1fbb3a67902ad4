# A seed for tests/fuzz: system calls, memory, floats, tensor units; exits.
	.text
	.globl _start
_start:
	li a7, 64
	li a0, 1
	la a1, text
	li a2, 6
	ecall
	li a7, 214
	li a0, 0
	ecall
	li a7, 222
	li a0, 0
	li a1, 8192
	li a2, 3
	li a3, 0x22
	li a4, -1
	li a5, 0
	ecall
	sd a1, 0(a0)
	la a0, matrix
	la a1, vector
	li a2, 0x40000100
	mmv.f32 a2, 2, a0, a1, 2
	la t0, numbers
	fld fa0, 0(t0)
	fld fa1, 8(t0)
	fdiv.d fa2, fa0, fa1
	fsd fa2, 16(t0)
	flw ft0, 0(t0)
	tprologue 0, 0, 8, 24
	tbase 0, t0
	tflw fa3, 0
	f32v4hist f4:f7, f8:f11
	addi sp, sp, -16
	sd ra, 8(sp)
	jal function
	ld ra, 8(sp)
	li a7, 93
	li a0, 0
	ecall
	.type function, @function
function:
	addi a0, a0, 1
	ret
	.size function, . - function
	.data
	.balign 8
	.globl numbers
numbers: .double 1.5, 3.25, 0
text:	.ascii "hello\n"
	.bss
	.space 64
	.section .spm, "aw"
	.balign 4
matrix:	.float 1, 2, 3, 4
vector:	.float 5, 6
