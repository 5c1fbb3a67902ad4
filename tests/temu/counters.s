# instret counts the instructions before the one that reads it, also in the middle of a block, with and without a trace. time advances with it.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: %temu --print counts:u64 --print clock:u64 %t | FileCheck %s
# RUN: %temu --stats --print counts:u64 --print clock:u64 %t 2>/dev/null | FileCheck %s
# RUN: %temu --trace=%t.trace --trace-insns 3 --print counts:u64 --print clock:u64 %t | FileCheck %s
# CHECK: counts:u64[4] = [2, 4, 5, 7]
# CHECK: clock:u64[2] = [0, 16]
	.option norelax
	.globl _start
_start:
	la s0, counts
	rdinstret s1
	nop
	rdinstret s2
	rdinstret s3
	j 1f
	nop
1:	rdinstret s4
	sd s1, 0(s0)
	sd s2, 8(s0)
	sd s3, 16(s0)
	sd s4, 24(s0)
	li a0, 1
	la a1, clock
	li a7, 113
	ecall
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 8
	.type counts, @object
	.size counts, 32
counts:	.zero 32
	.type clock, @object
	.size clock, 16
clock:	.zero 16
