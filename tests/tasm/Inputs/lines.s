	.globl _start, load
	.text
load:
	li	a0, 0
	nop
	lw	a1, 0(a0)
	ret
_start:	nop
	call	load
	la	a2, load
	.section .text.other, "ax"
	.globl other
other:	nop
