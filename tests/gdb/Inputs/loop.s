# Runs for ever. A session reaches the other code by setting the pc.
	.option norelax
	.globl _start, reading, illegal, illegal_at, null, null_at, breakpoint, breakpoint_at, leave
_start:
	nop
1:	addi t0, t0, 1
	j 1b
reading:
	li a0, 0
	la a1, buffer
	li a2, 1
	li a7, 63
	ecall
	li a7, 93
	ecall
illegal:
	nop
illegal_at:
	.word 0
null:
	nop
null_at:
	ld a0, 0(zero)
breakpoint:
	nop
breakpoint_at:
	ebreak
leave:
	li a0, 3
	li a7, 93
	ecall
	.bss
buffer:	.zero 8
