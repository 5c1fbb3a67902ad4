# Stores to the page of the code fault on the host, whose way out puts registers back that were in temporaries of the host. The stencil of a
# store with both operands in memory uses these temporaries itself: what the registers had must be in memory before.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -N -o %t %t.o
# RUN: %python %tools/tiers.py %temu %t
# RUN: for program in %qemu "%temu --tier=optimize"; do status=0; $program %t || status=$?; echo $status; done | uniq | wc -l | grep -x 1
# RUN: for count in 40 52 53 54 55 56 57 64 75; do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp %t.optimize || exit 1; \
# RUN: done

	.option	norelax
	.globl	_start
_start:	la	a0, _start
	li	t0, -4096
	and	a0, a0, t0
	li	a1, 8192
	li	a2, 7	# read, write, execute
	li	a7, 226	# mprotect
	ecall
	la	t6, data
	li	t5, 0x1111
	li	t3, 1
	li	t4, 2
	li	s2, 5
1:	addi	t3, t3, 1
	addi	t4, t4, 1
	add	t3, t3, t4
	xor	t4, t4, t3
	sd	t5, (t6)
	addi	t3, t3, 3
	addi	t4, t4, 5
	add	t3, t3, t4
	add	t4, t4, t3
	addi	s2, s2, -1
	bnez	s2, 1b
	andi	a0, t4, 127
	li	a7, 93	# exit
	ecall
	.balign	8
data:	.dword	0
