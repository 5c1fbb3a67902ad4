# Code is rewritten 300000 times. Dropped decoded code is freed, so neither time nor memory grows.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -N -o %t %t.o
# RUN: %temu --print sum:u64 %t | FileCheck %s
# RUN: %python -c 'import resource, subprocess, sys; subprocess.run(sys.argv[1:]); \
# RUN:   sys.exit(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 300000)' %temu %t
# RUN: sh -c '%temu --stats --print sum:u64 %t 2>/dev/null; test $? = 0' | FileCheck %s
# RUN: sh -c '%temu --stats --trace=/dev/null --print sum:u64 %t 2>/dev/null; test $? = 0' | FileCheck %s
# CHECK: sum:u64 = 300007
	.option norelax
	.globl _start
_start:
	la s0, function
	lw s1, one
	lw s2, two
	li s3, 100000
	li s4, 7
1:	sw s1, 0(s0)
	jal function
	sw s2, 0(s0)
	fence.i
	jal function
	addi s3, s3, -1
	bnez s3, 1b
	la t0, sum
	sd s4, 0(t0)
	li a0, 0
	li a7, 93
	ecall
one:	addi s4, s4, 1
two:	addi s4, s4, 2
	.balign 4096
function:
	nop
	ret
	.data
	.balign 8
sum:	.dword 0
