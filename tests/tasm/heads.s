# Instructions whose last operand is a symbol: the second of each is found by the text before the symbol. The object must be GNU as's, and the messages point at the operands.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: not %tasm --defsym BAD=1 %s -o %t.o 2>&1 | FileCheck %s
	.equ number, 64
	.struct 8
field:	.struct 0
	.text
start:
	call	one
	call	two
	call	a0_like
	call	one@plt
	call	two@plt
	call	two@plt # a comment
	call	two @plt
	call	two
	call	one@plt
	call	"one"@plt
	tail	one
	tail	two
	jal	one
	jal	two
	jal	t0,one
	jal	t0,two
	beq	a0,a1,.L1
	beq	a0,a1,.L2
.L1:	bne	a0,zero,.L1
	bne	a0,zero,.L2 # a comment
	bne	a0,zero,.L3; bne	a0,zero,.L1
	BNE	a0,zero,.L1
	BNE	a0,zero,.L2
.L2:	beqz	a5,.L3
	beqz	a5,1f
	beqz	a5,.L1
1:	j	.L3
	j	.
	j	1b
	j	number
	j	.L2
	lla	a0,data
	lla	a0,undefined
	lla	a0,data+4
	lla	a0,number
	lla	a0,other
	lla	a0,field
	la	a0,data
	la	a0,other
	la	a0,number
	la	a0,64
	lw	a1,data
	lw	a1,other
	li	a2,number
	li	a2,number
	lui	a3,%hi(data)
	lui	a3,%hi(other)
	fcvt.w.s a4,fa0,rtz
	fcvt.w.s a4,fa0,rdn
.L3:	.option push
	.option norelax
	call	one
	call	two
	.option norvc
	beqz	a5,.L3
	beqz	a5,.L2
	j	.L3
	j	start
	.option pop
	beqz	a5,.L3
	j	.L3
	j	start
	call	one
	.macro	call target
	.word	1
	.endm
	call	two
	.purgem	call
	call	one
	.set	one, two
	call	one
	call	two
	.skip	5000
	beq	a0,a1,.L1
	beq	a0,a1,.L2
	.data
data:	.word	0
other:	.quad	one
	.ifdef BAD
	.text
# CHECK-DAG: :[[#@LINE+1]]:7: error: 'j': expected the end of the statement, found 'plt'
	j	two@plt
	jal	far
	jal	near
# CHECK-DAG: :[[#@LINE+1]]:6: error: 'jal' cannot reach: the distance is 2097156, expected -1048576..1048574, a multiple of 2
	jal	far
near:	.skip	0x200000
far:
	beq	a0,a1,near
# CHECK-DAG: :[[#@LINE+1]]:12: error: cannot add 'undefined' and 'missing': the sum of two addresses is not an address
	.equ	sum, undefined+missing
	beq	a0,a1,sum
	.endif
