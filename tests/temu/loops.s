# Loops that run as one function behave as their instructions do. One fills memory downward until it overwrites its own branch, which then no longer
# branches. One is entered in the middle. One spans two pages, and its end is overwritten between two runs. One copies until the last of its four
# stores leaves memory in the 20th iteration. The observed executor, which has no such functions, does the same, and both stop after the same
# instruction under a limit.
#
# RUN: %gas -march=rv64g_zifencei -o %t.o %s && %gld -N -Ttext=0x10000 -o %t %t.o
# RUN: not %temu %t 2>%t.plain
# RUN: not %temu --stats=%t.stats --trace=/dev/null %t 2>%t.observed
# RUN: diff %t.plain %t.observed
# RUN: FileCheck %s <%t.plain
# RUN: FileCheck --check-prefix=COUNT %s <%t.stats
# RUN: sh -c '%temu --max-insns=1500 --dump=area:8192=%t.a %t 2>%t.plain; test $? = 125'
# RUN: sh -c '%temu --max-insns=1500 --dump=area:8192=%t.b --stats=%t.stats --trace=/dev/null %t 2>%t.observed; test $? = 125'
# RUN: diff %t.plain %t.observed && cmp %t.a %t.b
# CHECK: store access fault (cause 7, address 0x15000
# CHECK-NEXT: pc {{.*}} <fourth>
# 6, 1025 rounds of 3, 1 + 2048 nops; 3, 6, 2, 9 rounds of 3, 6; 6, 99 rounds of 5, 3, 11, 5, 3; 5, 19 rounds of 11, 7
# COUNT: instructions {{ *}}5918{{$}}

	.option norelax
	.globl _start
_start:
	la t0, filled - 8
	li t1, 0
	ld t2, nops
	.balign 8
fill:
	sd t2, 0(t0)
	addi t0, t0, -8
	bne t0, t1, fill
	.word 0
area:
	.space 2 * 4096
filled:
	la t1, area - 16
	bne t0, t1, fail

	# entered at the addi, with a word that the first store has not changed
	la t0, words
	la t1, words + 80
	li t2, 7
	j middle
	.balign 8
store:
	sd t2, 0(t0)
middle:
	addi t0, t0, 8
	bne t0, t1, store
	ld t0, words
	bnez t0, fail
	ld t0, words + 72
	bne t0, t2, fail

	# two blocks in two pages; the second block is changed
	li a0, 0
	la a1, words
	li a2, 100
	li a4, 1
	j scan
	.balign 4096
	.space 4096 - 12
scan:
	addi a0, a0, 1
	addi a1, a1, 0
	beq a0, a2, scanned
	lbu a3, 0(a1)
over:
	bne a3, a4, scan
scanned:
	bne a0, a2, changed
	bnez s3, fail
	li s3, 1
	la t0, over
	lw t1, nops
	sw t1, 0(t0)
	fence.i
	li a0, 0
	j scan
changed:
	li t1, 1
	bne a0, t1, fail

	la s0, words
	la s1, limit - 19 * 32 - 24
	li s2, 0
copy:
	ld a1, 8(s0)
	ld a2, 16(s0)
	ld a3, 24(s0)
	ld a0, 0(s0)
	sd a1, 8(s1)
	sd a2, 16(s1)
	sd a0, 0(s1)
fourth:
	sd a3, 24(s1)
	addi s0, s0, 32
	addi s1, s1, 32
	bne s0, s2, copy
fail:
	ebreak

	.balign 8
nops:
	nop
	nop
words:
	.space 128
	.balign 4096
limit:
