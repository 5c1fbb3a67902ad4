# A product of bytes with as many rows, and rows as long, as a host works on at once, in one instruction and in pieces of 251 and 5 rows. Rows of
# the output do not depend on each other, so both are the same.
#
# RUN: printf 'scratchpad: {size: 1M}\n' > %t.yaml && %tasm -I %S/Inputs -o %t.o %s && %tld --spm-size=0x100000 -o %t %t.o
# RUN: %temu --machine=%t.yaml %t
	.set ROWS, 256
	.set FIRST, 251			# rows of the first piece
	.set DEPTH, 1024
	.set COLUMNS, 40
	.include "compare_words.inc"
	.globl _start
_start:
	li s0, 0x40000000		# left
	li s1, 0x40000000 + ROWS * DEPTH	# right
	li s2, 0x40000000 + ROWS * DEPTH + DEPTH * COLUMNS	# whole
	li s3, 0x40000000 + ROWS * DEPTH + DEPTH * COLUMNS + 4 * ROWS * COLUMNS	# pieces
	mv t0, s0
	li t1, 1
	li t2, 1103515245
1:	mulw t1, t1, t2			# both operands: pseudo-random bytes
	addi t1, t1, 1235
	sraiw t3, t1, 16
	sh t3, 0(t0)
	addi t0, t0, 2
	bne t0, s2, 1b
	li s4, DEPTH
	li s5, COLUMNS
	li t0, ROWS
	mm.i8 s2, s0, s1, t0, s4, s5
	li t0, FIRST
	mm.i8 s3, s0, s1, t0, s4, s5
	li t1, FIRST * DEPTH
	add a0, s0, t1
	li t2, 4 * FIRST * COLUMNS
	add a1, s3, t2
	li t0, ROWS - FIRST
	mm.i8 a1, a0, s1, t0, s4, s5
	compare_words s2, s3
