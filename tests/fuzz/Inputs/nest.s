# A seed for tests/fuzz: walks the nest of the descriptor. The driver overwrites `descriptor` through temu --load.
	.text
	.globl _start
_start:
	la a0, descriptor
	tnest 0, a0
1:	tdone a1, 0
	bnez a1, 2f
	tnext a2, 0
	j 1b
2:	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 8
	.globl descriptor
descriptor:
	.space 4096
