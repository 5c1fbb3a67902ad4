# Registers that are not pinned, in temporaries of the host between instructions whose stencils use the same registers of the host: products,
# quotients, CSRs, calls of the interpreter, faults and jumps. What a register has must come through all of them, in every tier and wherever
# the run stops.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: %python %tools/tiers.py %temu %t
# RUN: for tier in interp optimize; do %temu --tier=$tier --print='results:u64[16]' %t > %t.$tier || exit 1; done
# RUN: cmp %t.interp %t.optimize && %qemu %t
# RUN: for count in 2000 2001 2003 2007 2010 2013 2020 2028 2031 2042 2053; do \
# RUN:     for tier in interp optimize; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp %t.optimize || exit 1; \
# RUN: done
# On x86-64 the base of two loads comes from memory once, to a register that is not pinned.
# RUN: case $(uname -m) in x86_64) \
# RUN:     %temu --tier=optimize --show-native=twice %t | grep -c -E 'fill t4|mov +0xe8\(%%rbp\),%%r[cd]x' | grep -x -E '[12]';; esac

	.globl	_start
	.option	norelax
_start:	li	s10, 300
	la	t4, results
	li	t5, 0x123456789abcdef1
	li	t6, -77
	li	s7, 5
	li	s8, 0x7fffffff
	li	s9, -0x80000000
1:	mv	a0, s10
	call	mix
	call	twice
	addi	s10, s10, -1
	bnez	s10, 1b
	la	t4, results
	sd	t5, 0(t4)
	sd	t6, 8(t4)
	sd	s7, 16(t4)
	sd	s8, 24(t4)
	sd	s9, 32(t4)
	sd	s11, 40(t4)
	li	a0, 0
	li	a7, 93
	ecall

# The pinned registers are those that compilers use most.
mix:	add	t5, t5, s8
	mulhu	t6, t5, s9
	xor	s7, t5, t6
	mulh	s8, s7, t6
	add	t6, t6, t5
	div	s9, t6, s7
	rem	s11, t5, s7
	add	s9, s9, s11
	remu	t5, s9, s8
	add	t5, t5, t6
	addw	s11, t5, s7
	add	t6, t6, s11
	xor	t5, t5, s11
	jal	s11, 2f			# what a jump writes
2:	add	t5, t5, s11
	frflags	t0
	add	t5, t5, s11
	fsflags	t0
	sra	t6, t5, s11
	srlw	s7, t6, t5
	rdinstret s6
	add	s7, s7, t6
	mulhsu	s8, s7, t5
	bgtu	s8, s7, 1f
	add	s9, s9, s8
	divu	s9, t5, s9
	la	t0, 4f - 6
	jalr	zero, 6(t0)
	li	t5, 0
	.balign	4
4:	la	t1, 5f + 1
	jalr	t1, (t1)
	li	t6, 0
	.balign	4
5:	sub	t6, t6, t1
1:	add	t5, s9, s8
	amoadd.d t6, t5, (t4)
	add	t6, t6, t5
	sub	t5, t5, s7
	la	x31, 1f
	jr	x31
	.balign	4
1:	la	t0, 1b
	sub	t6, t6, t0
	add	t6, t6, s7
	ret

twice:	ld	t2, 8(t4)
	ld	t1, 16(t4)
	add	t2, t2, t1
	sd	t2, 16(t4)
	lbu	t2, 17(t4)
	addi	t4, t4, 8
	sd	t2, 0(t4)
	addi	t4, t4, -8
	ret

	.bss
	.balign	8
results:
	.zero	128
