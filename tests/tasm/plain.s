# Statements in the simple form of compilers, and others that begin like them: the same object as GNU as makes, whichever parser reads them.
# Blanks, labels and arguments are at all the places where they may be.

# RUN: %tasm -march=rv64gc %s -o %t.o && %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

	.text
	.globl	first, second ,third
	.type	first, @function
	.type	second,%function
	.type third , @object
first:second: addi	a0,a1,-16
third :	lw	a0 , 8 ( sp )
	lw	a0,-8(sp)
	lw	a0,8+4(sp)
	lw	a0,%lo(value)(a5)
	lw	a0, %lo( value + 4 ) ( a5 )
	sw	a0,(sp)
	lui	a5,%hi(value-4)
.L1:	beq	a0,a1,.L1
	bne	a0,zero,.L1+4
	j	.L2
	j	second
1:	bnez	a0,1b
	bnez	a0,1f
1:	call	first
	call	first@plt
	li	a0,010
	li	a0,0x10
	li	a0,'a'
	li	a0,-1
	li	a0,- 1
	li	a0,1234567890123
	li	a0,~1
	li	a0,(3)
	amoadd.w a0,a1,(a2)
	fcvt.w.s a0,fa0,rtz
	fence	rw,w
	.set	here, .
.L2:	.align	2
	.size	first, .-first
	.size	second,.L2-second

	.data
value:	.word	.L2-.L1
	.word	1,2 , 3,-4
	.word	value-4
	.half	1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20
	.byte	1 - 2 + 3, 4*2
	.dword	value , value+8
	.dword	18446744073709551615, 1000000000000000000
	.asciz	"a, b", "c"
	.equ	number, 5
	.word	number, number+1
twice = 2
	.word	twice
# Operators of all strengths, with and without blanks and parentheses.
	.dword	1+2*3-4, (1+2)*3, 2*(3+4)%5, 1|2+4, 1<<2+1, 100/7/2, 100-7-2, -3*-4, ~1&0xff, !0+1, 6^3|8&12
	.dword	1 == 1, 1 != 1, 2 <> 1, 1 < 2, 2 <= 1, 3 > 2, 1 >= 3, 1 && 0 || 1, 1 || 0 && 0, 3 == 1 + 2, 12!3, 1 << 4 >> 2
	.dword	- - 5, -(-(5)), ~~7, -number*2, (number), ((number+1)*2), ' '+'a', 'a'-'A'
three = (twice + 1) * 1
	.dword	three, twice*three
	.if	(three - 1) * 2 == 4 && number > 4
	.dword	7
	.endif
# Strings with escapes, adjacent strings, hexadecimal numbers, and the place itself.
	.section .strings,"aMS",@progbits,1
	.string	"plain", "with \"quotes\"\t\\", "", "octal \101\0 hex \x41"
	.ascii	"a" "b", "c;d # no comment /* nor this */"
	.asciz	"ends with a backslash \\"
	.string "a" , "b"
	.text
	addi	a0, a0, 0x10
	li	a0, -0x7fffffff
	li	a0, 0xffffffffffffffff
last:	nop
	.size	last, .-last
	.size	third, . - third
