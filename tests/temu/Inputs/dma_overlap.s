# Loads and stores of the core and the DMA of the same memory take turns: what the one has written, the other reads.
	.globl _start, result
_start:
	la a0, buffer
	li a1, 0x40000000
	la a2, source
	li s0, 0
	li s1, 0
	li s2, 1000000
loop:
	sd s1, 0(a0)
	sw s1, 0(a1)
	dma.ld a1, a2, 8
	lw t2, 0(a1)
	add s0, s0, t2
	sd s1, 64(a1)
	addi t3, a1, 64
	dma.st t3, a0, 8
	sd s2, 64(a1)
	ld t1, 0(a0)
	add s0, s0, t1
	slli t4, s0, 7
	xor s0, s0, t4
	sd s1, 0(a2)
	addi s1, s1, 3
	addi s2, s2, -1
	bnez s2, loop
	la t0, result
	sd s0, 0(t0)
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 8
buffer:	.dword 0
source:	.dword 5
result:	.dword 0
