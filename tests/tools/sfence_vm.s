# sfence.vm for GNU as, which has not had it since version 2.41.
	.macro sfence.vm address=zero
	.insn i SYSTEM, 0, zero, \address, 0x104
	.endm
