# A function gets the same bytes that it has before each call, as compilers at run time write constants into their code. Nothing changes, so it stays native code, and so does another
# one in its page, of which an instruction changes every 4,000 calls: only what was made of these bytes is made again, without end.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -N -o %t %t.o
# RUN: for tier in interp translate auto; do %temu --tier=$tier --print=sum:u64 %t | FileCheck %s || exit 1; done
# CHECK: sum:u64 = 1240000
#
# RUN: for tier in translate auto; do \
# RUN:     %temu --tier=$tier --verbose %t 2>&1 > %t.out | sed 's/.*made \([0-9]*\) instructions native code, in \([0-9]*\) visits/\1 \2/' > %t.made && \
# RUN:     read made visits < %t.made && test "$made" -lt 1500 && test "$visits" -lt 15000 || exit 1; \
# RUN: done
	.option	norelax
	.option	norvc
	.globl	_start
_start:	la	s0, same
	la	s1, changing
	lw	s2, 0(s0)
	li	s3, 20
	li	s6, 0
1:	li	s4, 4000
2:	sw	s2, 0(s0)
	jal	same
	jal	changing
	addi	s4, s4, -1
	bnez	s4, 2b
	lw	t0, 0(s1)
	li	t1, 1 << 20
	add	t0, t0, t1
	sw	t0, 0(s1)
	addi	s3, s3, -1
	bnez	s3, 1b
	la	t0, sum
	sd	s6, 0(t0)
	li	a0, 0
	li	a7, 93
	ecall

	.balign	4096
same:	addi	s6, s6, 5
	ret
	.balign	256
changing:
	addi	s6, s6, 1
	ret
	.balign	8
sum:	.dword	0
