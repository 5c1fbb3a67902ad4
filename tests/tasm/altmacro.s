# .altmacro, upper case, and ampersands in macros expand as in GNU as.
# RUN: %tasm -march=rv64gc %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

	.macro join x
	.ascii "&x", "\x", "a\x\()b"
	.word 1&x, \x&1
	.endm
	join 12

	.altmacro
	.macro bare x
	.ascii "x-&x-&x&3-y&x"
	.ascii "a.x x_b _x x"
	.word &x, x&, 0x1, x1, \x, \x&1, \x&&1
	.set x1, 2
	.endm
	bare 7
	bare %(2+3*4)
	bare %2*3 - 1

	.macro text x
	.ascii "x"
	.endm
	text <a!>b!!c,d<e>f>
	text <>
	text <plain,text>
	.macro quoted x
	.ascii x
	.endm
	quoted "abc"
	quoted "!<"

	.macro locals x, y=3
	LOCAL first, second
first:	.word second - first, x, y
	local third
third:	.quad third
second:
	.endm
	locals 1
	locals 2, <4>
	.set first_value, 9
	locals %first_value
	.set n, 0
	.macro numbered k
l&k:	.word k
lab_&k&_end: .word 1
	.endm
	.rept 3
	numbered %n
	.set n, n+1
	.endr
	.quad l0, lab_2_end

	.irp v, <1,2>, 3, %4*5
	.word v
	.endr
	.irpc c, 123
	.word c
m&c:	.word aa&&bb
	.endr
	.set aa, 7
	.set bb, 5
	.macro define n, v
	.macro get&n
	.word v
	.endm
	.endm
	define 1, %2*21
	get1
	.macro count a
	.if a < 3
	.word a
	count %a+1
	.endif
	.endm
	count 0
	.macro two a b
	.word a, b
	.endm
	two %1+2 3
	two 1<2>
	.noaltmacro
	.macro plain x
	.word \x
	.endm
	plain 5

	.MACRO Loud y
	.WORD \y
	.ENDM
	loud 1
	LOUD 2
	.PURGEM LOUD
	.macro loud
	.Word 3
	.endm
	Loud
	.IF 1
	.Byte 2
	.ELSE
	.byte 4
	.ENDIF
	.Rep 2
	.byte 3
	.ENDR
	.balign 4
	ADDI a0, a0, 1
Label:	Nop
	Name = 5
	NAME = 6
	.word Name, NAME
	.TEXT
