# Stores to a page where stores must be checked, that of tohost or one with code, have temu change the permissions of the host's page. If there are
# many of them, native code checks all accesses instead, also those of the same loop to another page.
#
# RUN: for page in DEVICE CODE; do \
# RUN:     %gas -march=rv64gc --defsym ROUNDS=50000 --defsym $page=1 -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o || exit 1; \
# RUN:     %temu --tier=optimize --show-native=loop %t > %t.shown && FileCheck %s < %t.shown || exit 1; \
# RUN:     for tier in interp auto optimize; do %temu --tier=$tier --dump-state=%t.$tier %t || exit 1; done; \
# RUN:     cmp %t.interp %t.auto && cmp %t.interp %t.optimize || exit 1; \
# RUN: done
# CHECK: [check: the pages of the accesses by s3]
#
# A few of them are not worth that.
# RUN: %gas -march=rv64gc --defsym ROUNDS=1000 --defsym DEVICE=1 -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o
# RUN: %temu --tier=optimize --show-native=loop %t > %t.shown && FileCheck %s --check-prefix=FEW < %t.shown
# FEW: [check: s3 is an address]

	.globl	_start, tohost
_start:	la	s1, stored
	la	s3, other
	li	s0, ROUNDS
loop:	addi	s0, s0, -1
	sd	s0, 0(s1)
	lwu	t2, 0(s3)
	lwu	t3, 8(s3)
	call	called
	bnez	s0, loop
	li	t1, 1
	la	t0, tohost
	sd	t1, 0(t0)
1:	j	1b

	.balign	4096
	.ifdef	CODE
stored:	.space	64
	.endif
called:	ret

	.data
other:	.space	64

	.section .tohost, "aw"
	.balign	64
tohost:	.dword	0
	.balign	64
	.ifdef	DEVICE
stored:	.space	64
	.endif
