# Macros, repetitions and conditions expand as in GNU as.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: %tasm --defsym CHARACTERS=1 %s -o %t.o && %gobjdump -s -j characters %t.o | FileCheck %s

 .macro push r, off=0, rest:vararg
 sd \r, \off(sp)
 .ifnb \rest
 push \rest
 .endif
 .endm
 .macro lab n
loc\@\n: .word \@
 j loc\@\n
 .endm
 push a0
 push a1, 8
 push a2, 16, a3, 24
 push r=t0 off=40
 lab x
 lab y
 .irp r, a0, a1, a2
 addi \r, \r, 1
 .endr
 .irpc c, 0123
 li a\c, \c
 .endr
 .rept 3
 nop
 .endr
 .macro two a b
 .word \a
 .word \b
 .endm
 two 1 2
 two 1+1, 2
 two a=5 b=6
 .macro str s
 .asciz "\s"
 .endm
 str hello
 str "hello world"
 .set i, 0
 .rept 4
 .word i
 .set i, i+1
 .endr
 .macro fact n
 .if \n
 .word \n
 fact "(\n-1)"
 .endif
 .endm
 fact 3
 .macro ex
 .word 1
 .exitm
 .word 2
 .endm
 ex
 .macro outer
 .macro inner x
 .word \x
 .endm
 inner 7
 .endm
 outer
 inner 8
1: j 1b
 j 1f
1: j 1b
 .ifdef foo
 .word 1
 .else
 .word 2
 .endif
 .ifc a b, a b
 .word 3
 .endif
 .ifeqs "x","x"
 .word 4
 .endif
 .if 0
 .word 5
 garbage here )(
 .elseif 1
 .word 6
 .else
 .word 7
 .endif
 .irp x
 .word 9\x
 .endr
 .macro dflt a=3, b=4
 .word \a, \b
 .endm
 dflt
 dflt 1
 dflt ,2
 dflt b=9
 .macro cat a b
 .word \a\b
 .endm
 cat 1 2
 .purgem dflt
 .macro dflt
 .word 77
 .endm
 dflt
 .macro concat name, num
\name\()_\num:
 nop
 .endm
 concat lbl, 5
 .macro q x
 .byte \x
 .endm
 .data
 q 'a'
 q ';'
 .data
 q '#'
 .byte 'a, 'b', ' ' /* comment */, 3 # hi
 .text
 .word 1; .word 2 ; nop
 .equiv foo1, 3
 .word foo1
 .word (3 > 2), 3<<2|1, -5/2, -5%3, ~1, !0, 5 == 5
label1:	.if 1
	.word label1
	.else
	.word 5
	.endif
label4:	.ifdef label1
	.word label4
	.endif
	.macro leaves
inner:	.exitm
	.endm
label5:	leaves
	.word inner, label5

# Arguments are put into characters. GNU as takes the letters of the names of the parameters.
	.ifdef CHARACTERS
	.section characters
	.irpc c, abc
	.byte '\c
	.endr
	.macro character x
	.byte '\x, '\x'
	.endm
	character 5
	.endif
# CHECK: 61626335 35
