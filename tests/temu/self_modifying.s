# Changed code takes effect: after fence.i, and without it from the next block on; in a loop, in the block that stores, across the end of a page,
# and through munmap and mmap. The observed executor does the same.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -N -o %t %t.o
# RUN: sh -c '%temu %t; test $? = 42'
# RUN: sh -c '%temu --trace=%t.trace %t; test $? = 42'
# RUN: sh -c '%temu --stats %t 2>/dev/null; test $? = 42'
# RUN: sh -c '%temu --stats --trace=/dev/null %t 2>/dev/null; test $? = 42'
# RUN: FileCheck %s --input-file=%t.trace
# CHECK: li a0,1 {{.*}} a0=0x1
# CHECK: li a0,2 {{.*}} a0=0x2

	.option norelax
	.globl _start
_start:
	# 1. a function is called, changed, called again
	la s0, function
	jal function
	li t0, 1
	bne a0, t0, fail
	lw t1, two
	sw t1, 0(s0)
	fence.i
	jal function
	li t0, 2
	bne a0, t0, fail

	# 2. a loop changes the immediate of its own addi: 1 + 2 + … + 10
	li s1, 0
	li s2, 10
loop:
	li a0, 0
step:
	addi a0, a0, 1
	add s1, s1, a0
	la t0, step
	lw t1, 0(t0)
	li t2, 1 << 20
	add t1, t1, t2
	sw t1, 0(t0)
	fence.i
	addi s2, s2, -1
	bnez s2, loop
	li t0, 55
	bne s1, t0, fail

	# 3. the next instruction but one of the same block, without a fence
	la t0, patched
	lw t1, seven
	sw t1, 0(t0)
patched:
	li a0, 0
	li t0, 7
	bne a0, t0, fail

	# 4. a mapping: code is written, run, unmapped, mapped again, written, run; the last instruction runs into a second page
	li s3, 2
	li s4, 10
again:
	li a0, 0
	li a1, 8192
	li a2, 7
	li a3, 0x22
	li a4, -1
	li a5, 0
	li a7, 222
	ecall
	mv s5, a0
	li t0, 4096
	add t0, t0, s5
	lw t1, add_ten
	sw t1, -4(t0)
	lw t1, return
	sw t1, 0(t0)
	li a0, 0
	addi t0, t0, -4
	jalr t0
	bne a0, s4, fail
	mv a0, s5
	li a1, 8192
	li a7, 215
	ecall
	bnez a0, fail
	lw t1, add_ten
	li t2, 1 << 20
	add t1, t1, t2
	la t0, add_ten
	sw t1, 0(t0)
	addi s4, s4, 1
	addi s3, s3, -1
	bnez s3, again

	li a0, 42
	li a7, 93
	ecall
fail:
	li a0, 1
	li a7, 93
	ecall

function:
	li a0, 1
	ret
two:
	li a0, 2
seven:
	li a0, 7
add_ten:
	addi a0, a0, 10
return:
	ret
