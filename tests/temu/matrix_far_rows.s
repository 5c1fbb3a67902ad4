# A product whose right operand has rows of 2 KB, in one instruction and in pieces of 64, 64 and 2 rows. Rows of the output do not depend on each
# other, so both have the same bits.
#
# RUN: printf 'scratchpad: {size: 2M}\n' > %t.yaml && %tasm -I %S/Inputs -o %t.o %s && %tld --spm-size=0x200000 -o %t %t.o
# RUN: %temu --machine=%t.yaml %t
	.set ROWS, 130
	.set DEPTH, 272
	.set COLUMNS, 520
	.include "compare_words.inc"
	.globl _start
_start:
	li s0, 0x40000000		# left
	li s1, 0x40000000 + 4 * ROWS * DEPTH	# right
	li s2, 0x40000000 + 4 * (ROWS * DEPTH + DEPTH * COLUMNS)	# whole
	li s3, 0x40000000 + 4 * (ROWS * DEPTH + DEPTH * COLUMNS + ROWS * COLUMNS)	# pieces
	mv t0, s0
	li t1, 1
	li t2, 1103515245
1:	mulw t1, t1, t2			# both operands: pseudo-random numbers
	addi t1, t1, 1235
	sraiw t3, t1, 12
	fcvt.s.w ft0, t3
	fsw ft0, 0(t0)
	addi t0, t0, 4
	bne t0, s2, 1b
	li s4, DEPTH
	li s5, COLUMNS
	li t0, ROWS
	mm.f32 s2, s0, s1, t0, s4, s5
	li t0, 64
	mm.f32 s3, s0, s1, t0, s4, s5
	li t1, 4 * 64 * DEPTH
	add a0, s0, t1
	li t2, 4 * 64 * COLUMNS
	add a1, s3, t2
	mm.f32 a1, a0, s1, t0, s4, s5
	add a0, a0, t1
	add a1, a1, t2
	li t0, 2
	mm.f32 a1, a0, s1, t0, s4, s5
	compare_words s2, s3
