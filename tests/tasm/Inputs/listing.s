# What a listing shows: lines, addresses, bytes.
	.macro	store r
	addi	sp, sp, -8
	sd	\r, 0(sp)	# the register
	.endm
	.macro	stores
	store	ra
	store	s0
	.endm

	.text
	.globl	f
f:	addi	sp,sp,-16
	la	a0, text
	call	g
	stores
	.title	"Sums of rows"
	.sbttl	"the second line"
	.nolist
	li	a1, 2
	.nolist
	li	a1, 3
	.list
	.list
	li	a1, 4
	.if	0
# left out

	nop
	.if	1
	nop
	.endif
	.else
	beqz	a0, f
	.endif
	.include "listing.inc"
	/* a comment
	   of two lines */ nop
	ret; nop
f_end:	nop;	/* more */ nop; .long 1 + 2
	.data
text:	.asciz	"a text whose bytes go over more lines than are shown"
	.word	1, 2, 3, f, 5
	.byte	1, 2, 3, 4, 5
	.space	20
	.balign	8
	.dword	text - f
	.equ	five, 5
	.comm	buffer, 16
	.bss
	.space	100
	.section .other, "a", @progbits
	.byte	five	# 45678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890
# the end
