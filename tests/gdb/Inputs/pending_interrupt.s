# The timer is due from the start. The interrupt is enabled last.
	.globl	_start
_start:	auipc	t0, 0
	addi	t0, t0, 0x40
	csrw	mtvec, t0
	li	t1, 128			# mie.MTIE
	csrw	mie, t1
	li	t2, 0x2004000		# mtimecmp, which is 0 after this
	sd	zero, 0(t2)
	csrsi	mstatus, 8
	.option	rvc
	nop
	nop
	nop
1:	j	1b
	.balign	64
handler: j	handler
