# Smooths the rows of an image again and again, a million instructions. With FIXED, the last element of a row is its own right neighbor; without,
# the kernel reads the first element of the next row. The fix adds code and data before other code and data.
	.equ ROWS, 24
	.equ COLUMNS, 40
	.equ ROUNDS, 80
	.data
	.balign 4
	.ifdef FIXED
border:	.float 0.5, 0.25, 0.125
	.endif
third:	.float 0.25
image:	.zero 4 * ROWS * COLUMNS
result:	.zero 4 * ROWS * COLUMNS + 4
tables:	.dword image, result
	.size image, 4 * ROWS * COLUMNS
	.size result, 4 * ROWS * COLUMNS + 4
	.text
	.globl _start
	.type fill, @function
fill:
	la t0, image
	li t1, ROWS * COLUMNS
	li t2, 12345
1:	li t3, 1103515245
	mul t2, t2, t3
	addi t2, t2, 1234
	srliw t4, t2, 20
	fcvt.s.wu ft0, t4
	fsw ft0, 0(t0)
	addi t0, t0, 4
	addi t1, t1, -1
	bnez t1, 1b
	ret
	.size fill, . - fill

	.type smooth_row, @function
smooth_row:				# a0: row, a1: result
	li t1, 0
2:	slli t2, t1, 2
	add t2, t2, a0
	mv t3, t2
	beqz t1, 3f
	addi t3, t2, -4
3:	addi t4, t2, 4
	.ifdef FIXED
	li t5, COLUMNS - 1
	bne t1, t5, 4f
	mv t4, t2			# the fix
	.endif
4:	flw ft0, 0(t3)
	flw ft1, 0(t2)
	flw ft2, 0(t4)			# wrong without it
	fadd.s ft0, ft0, ft2
	fadd.s ft1, ft1, ft1
	fadd.s ft0, ft0, ft1
	fmul.s ft0, ft0, fs0
	slli t2, t1, 2
	add t2, t2, a1
	fsw ft0, 0(t2)
	addi t1, t1, 1
	li t2, COLUMNS
	blt t1, t2, 2b
	ret
	.size smooth_row, . - smooth_row

	.type smooth, @function
smooth:
	addi sp, sp, -48
	sd ra, 40(sp)
	sd s0, 32(sp)
	sd s1, 24(sp)
	sd s2, 16(sp)
	la t0, tables
	ld s1, 0(t0)
	ld s2, 8(t0)
	flw fs0, third, t1
	li s0, ROWS
5:	mv a0, s1
	mv a1, s2
	call smooth_row
	addi s1, s1, 4 * COLUMNS
	addi s2, s2, 4 * COLUMNS
	addi s0, s0, -1
	bnez s0, 5b
	la t0, tables
	ld t1, 0(t0)
	ld t2, 8(t0)
	sd t2, 0(t0)
	sd t1, 8(t0)
	ld ra, 40(sp)
	ld s0, 32(sp)
	ld s1, 24(sp)
	ld s2, 16(sp)
	addi sp, sp, 48
	ret
	.size smooth, . - smooth

	.type _start, @function
_start:
	call fill
	li s3, ROUNDS
6:	call smooth
	addi s3, s3, -1
	bnez s3, 6b
	la t0, image
	flw fa0, 156(t0)
	fcvt.w.s a0, fa0
	andi a0, a0, 1
	li a0, 0
	li a7, 93
	ecall
	.size _start, . - _start
