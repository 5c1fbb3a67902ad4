# Native code that was made before all decoded code was forgotten, as the PMP was set, is forgotten when its bytes change after that. The function is in
# a page of its own, in which nothing is decoded meanwhile.
#
# RUN: %tasm -o %t.o %s && %tld -Ttext=0x80000000 -o %t %t.o
# RUN: for tier in interp auto translate; do sh -c '%temu --tier=$0 %t; test $? = 42' $tier || exit 1; done
	.globl	_start
	.option	arch, -c
_start:	la	s0, function
	li	s1, 100
1:	jalr	s0
	addi	s1, s1, -1
	bnez	s1, 1b
	li	t0, 1
	bne	a0, t0, fail
	lw	s2, two
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	sw	s2, 0(s0)
	fence.i
	jalr	s0
	li	t0, 2
	bne	a0, t0, fail
	li	a0, 42
	j	exit
fail:	li	a0, 1
exit:	slli	a0, a0, 1
	ori	a0, a0, 1
	la	t0, tohost
	sd	a0, 0(t0)
	j	.
two:	li	a0, 2
	.balign	4096
function:
	li	a0, 1
	ret
	.balign	4096
	.data
	.globl	tohost
	.balign	8
tohost:	.dword	0
	.dword	0
