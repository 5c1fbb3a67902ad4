	.globl _start, fibonacci
_start:
	li a0, 22
	call fibonacci
	li a0, 0
	li a7, 93
	ecall
fibonacci:
	li t1, 2
	blt a0, t1, 1f
	addi sp, sp, -32
	sd ra, 0(sp)
	sd a0, 8(sp)
	addi a0, a0, -1
	call fibonacci
	sd a0, 16(sp)
	ld a0, 8(sp)
	addi a0, a0, -2
	call fibonacci
	ld t1, 16(sp)
	add a0, a0, t1
	ld ra, 0(sp)
	addi sp, sp, 32
1:	ret
