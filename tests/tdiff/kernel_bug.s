# A kernel of two million instructions leaves out the last element of each row. The repaired one has code of another length. One command
# finds the instruction that is wrong, and another one finds what was never written.
#
# RUN: rm -rf %t && mkdir %t && cd %t
# RUN: %tasm -g -o wrong.o %s && %tld -o wrong wrong.o && %temu --trace=wrong.ttrace --print=sum:f32[64] wrong > wrong.out
# RUN: %tasm -g --defsym FIXED=1 -o fixed.o %s && %tld -o fixed fixed.o && %temu --trace=fixed.ttrace --print=sum:f32[64] fixed > fixed.out
# RUN: grep -q ', 0\]' wrong.out && grep -q ', 97.98953\]' fixed.out
# RUN: not %tdiff --moved wrong.ttrace fixed.ttrace | FileCheck %s --match-full-lines --implicit-check-not={{.}}
# CHECK:      first difference: values differ at instruction 116756:
# CHECK-NEXT:   in wrong.ttrace: pc 0x{{[0-9a-f]+}} <rows+0x20> at {{.*}}kernel_bug.s:{{[0-9]+}}: li t2,63
# CHECK-NEXT:       |{{ *}}li{{ *}}t2, COLS - 1
# CHECK-NEXT:   in fixed.ttrace: pc 0x{{[0-9a-f]+}} <rows+0x20> at {{.*}}kernel_bug.s:{{[0-9]+}}: li t2,64
# CHECK-NEXT:       |{{ *}}li{{ *}}t2, COLS
# CHECK-NEXT:     t2: 0x3f in wrong.ttrace, 0x40 in fixed.ttrace
# RUN: %ttrace who wrong.ttrace 'sum[63]' | FileCheck %s --check-prefix=WHO
# WHO:      {{^}}0x{{[0-9a-f]+}} <sum+0xfc> (4 bytes): {{[0-9]+}} 0x{{[0-9a-f]+}} <columns+{{.*}}> fsw fa0,0(a0) {{.*}} = 0
# WHO:      {{^ +}}0x{{[0-9a-f]+}} <y+0xfffc> (4 bytes): not written

	.equ	ROWS, 256
	.equ	COLS, 64
	.text
	.globl	_start
	.type	_start, @function
_start:
	call	fill
	li	s1, 12
again:	call	rows
	call	columns
	addi	s1, s1, -1
	bnez	s1, again
	li	a0, 0
	li	a7, 93
	ecall
	.size	_start, . - _start
	.type	fill, @function
fill:	la	a0, x
	li	t0, 0
	li	t1, ROWS*COLS
1:	andi	t2, t0, 15
	addi	t2, t2, 1
	fcvt.s.w	fa0, t2
	fsw	fa0, 0(a0)
	addi	a0, a0, 4
	addi	t0, t0, 1
	bltu	t0, t1, 1b
	la	a0, scale
	li	t0, 1
	li	t1, ROWS
2:	fcvt.s.w	fa0, t0
	li	t2, 0x3f800000
	fmv.w.x	fa1, t2
	fdiv.s	fa0, fa1, fa0
	fsw	fa0, 0(a0)
	addi	a0, a0, 4
	addi	t0, t0, 1
	bleu	t0, t1, 2b
	ret
	.size	fill, . - fill
	.type	rows, @function
rows:	la	a0, x
	la	a1, y
	la	a2, scale
	li	t0, ROWS
3:	flw	fa1, 0(a2)
.ifdef FIXED
	li	t2, COLS
	mv	t3, zero
.else
	li	t2, COLS - 1
.endif
4:	flw	fa0, 0(a0)
	fmul.s	fa0, fa0, fa1
	fsw	fa0, 0(a1)
	addi	a0, a0, 4
	addi	a1, a1, 4
	addi	t2, t2, -1
	bnez	t2, 4b
.ifndef FIXED
	addi	a0, a0, 4
	addi	a1, a1, 4
.endif
	addi	a2, a2, 4
	addi	t0, t0, -1
	bnez	t0, 3b
	ret
	.size	rows, . - rows
	.type	columns, @function
columns:
	la	a0, sum
	li	t0, COLS
	la	a1, y
5:	mv	a2, a1
	li	t1, ROWS
	fmv.w.x	fa0, zero
6:	flw	fa1, 0(a2)
	fadd.s	fa0, fa0, fa1
	addi	a2, a2, 4*COLS
	addi	t1, t1, -1
	bnez	t1, 6b
	fsw	fa0, 0(a0)
	addi	a0, a0, 4
	addi	a1, a1, 4
	addi	t0, t0, -1
	bnez	t0, 5b
	ret
	.size	columns, . - columns
	.bss
	.globl	sum
	.balign	8
x:	.zero	4*ROWS*COLS
y:	.zero	4*ROWS*COLS
scale:	.zero	4*ROWS
sum:	.zero	4*COLS
