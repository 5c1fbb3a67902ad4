# Workers add to words of their own. The argument of one of them comes from `seed`, which depends on WHICH; the others use registers of the same names.
	.ifndef WHICH
	.equ WHICH, 0
	.endif
	.globl _start
_start:
	la a0, work
	la a1, words
	li a2, 64
	trunall a0, a1, a2
	tsync
	la a3, seed
	lw t3, 0(a3)
	la a1, words
	add a1, a1, t3
	trun 1, a0, a1
	tsync
	li a0, 0
	li a7, 93
	ecall
work:
	li t0, 3
	beqz a1, first
	li t1, 5
again:
	addi t0, t0, 1
	add t2, t0, t1
	sw t2, 8(a0)
	lw t4, 8(a0)
	addi t1, t1, -1
	bnez t1, again
	texit zero
first:
	la t0, seed
	lw t0, 0(t0)
	li t1, 20
1:	addi t1, t1, -1
	bnez t1, 1b
	sw t0, 0(a0)
	texit zero
	.data
	.balign 8
seed:	.word 4 * WHICH
	.bss
words:	.space 4096
