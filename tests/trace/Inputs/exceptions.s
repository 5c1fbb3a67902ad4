# Exceptions of instructions of each kind: without a description, with a CSR, of the memory, of a unit.
	.globl _start
_start:	la t0, handler
	csrw mtvec, t0
	li s0, 10
1:	.insn 2, 0x9002			# ebreak
	.insn 4, 0xc0001073		# writes a CSR that is only read
	.insn 4, 0xffffffeb
	.insn 4, 0x00003083		# a load at 0
	.insn 4, 0x34402573		# a CSR that can be read
	ecall
	addi s0, s0, -1
	bnez s0, 1b
	j .

	.balign 4
handler:
	csrr t1, mepc
	lhu t2, 0(t1)
	andi t2, t2, 3
	addi t1, t1, 2
	addi t2, t2, -3
	bnez t2, 1f
	addi t1, t1, 2
1:	csrw mepc, t1
	mret
