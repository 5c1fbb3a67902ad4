# A thread has the registers of the one that made it: s3, which depends on WHICH, is what the second thread writes. The third one has another s3.
	.ifndef WHICH
	.equ WHICH, 0
	.endif
	.set	SYS_exit, 93
	.set	SYS_clone, 220
	.set	CLONE_THREAD_FLAGS, 0x50f00
	.globl	_start
_start:	la	s1, seed
	lw	s3, 0(s1)
	la	s2, words
	call	begin
	li	s3, 5
	la	s2, words + 64
	call	begin
	li	a0, 0
	li	a7, SYS_exit
	ecall
begin:	li	a0, CLONE_THREAD_FLAGS
	li	a1, 0
	li	a2, 0
	li	a3, 0
	li	a4, 0
	li	a7, SYS_clone
	ecall
	beqz	a0, work
	ret
work:	li	t1, 15
again:	addi	t1, t1, -1
	bnez	t1, again
	addi	s3, s3, 1
	sw	s3, 0(s2)
	li	a0, 0
	li	a7, SYS_exit
	ecall
	.data
seed:	.word	WHICH
	.bss
words:	.space	4096
