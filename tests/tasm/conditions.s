# Conditions, and the lines that they leave out: simple ones are judged straight from the source, the others are parsed. The object must be GNU as's.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: not %tasm --defsym BAD=1 %s -o %t.o 2>&1 | FileCheck %s
	.equ	one, 1
	.set	value, 4
	.data
label:
	.if one
	.byte	1
	.else
	.byte	2
	.endif
	.if value - 4
	.byte	3
.elseif value == 4 && one
	.byte	4
.elseif undefined
	.byte	5
	.else
	.byte	6
	.endif
	.ifeq value - 4
	.byte	7
	.endif
	.iflt one-value
	.byte	8
	.endif
	.set	value, value+1
	.ifgt(value > 4) * 2 + 1
	.byte	9
	.endif
	.ifle value - 5
	.byte	31
	.endif
	.ifge value-5
	.byte	32
	.endif
	.ifne -one + 1
	.byte	33
	.endif
	.if ~one + 2 | !one
	.byte	34
	.else
	.byte	35
	.endif
	.iflt -(value - 4 * one) & ~0
	.byte	36
	.endif
	.if 0
	.byte	10
	.if one
	.byte	11
	.else
	.byte	12
	.endif
	"a string # ; .endif"
	unknown operation ; .if 1
	.endif
	.byte	13 # .endif
	.if 1 # a comment
	.endif
	/* .endif
	.endif */
	.else
	.byte	14
	.endif
	.IF	1
	.byte	15
	.ENDIF
	.if	0
	.byte	16
	.ELSE
	.byte	17
	.ENDIF
	.ifdef label
	.byte	18
	.endif
	.ifdef later
	.byte	19
	.endif
	.ifndef	later
	.byte	20
	.endif
	.ifdef .data
	.byte	21
	.endif
	.ifdef never
	.byte	22
	.else
	.byte	23
	.endif
	.if label + 1 - label
	.byte	24
	.endif
	.ifc a,b
	.byte	25
	.endif
	.macro	choose n
	.if \n > 2
	.byte	26
	.exitm
	.endif
	.byte	27
	.endm
	choose	1
	choose	3
	.rept	2
	.if one
	.byte	28
	.endif
	.endr
later:
	.ifdef later
	.byte	29
	.endif
	.macro	two_elses
	.if 0
# CHECK-DAG: :[[#@LINE+3]]:2: error: '.else' after the '.else' of the same '.if'
	.else
	.byte	30
	.else
	.endif
	.endm
	.macro	stray
# CHECK-DAG: :[[#@LINE+1]]:2: error: '.endif' without '.if'
	.endif
	.endm
	.macro	open
# CHECK-DAG: :[[#@LINE+1]]:2: error: unterminated '.if': its '.endif' is missing
	.if	value > 1
	.endm
	.ifdef	BAD
	two_elses
	stray
	open
# CHECK-DAG: :[[#@LINE+1]]:10: error: division by zero
	.if 1 / 0
	.endif
# CHECK-DAG: :[[#@LINE+1]]:6: error: a condition must be a number known here; it depends on the undefined symbol 'missing'
	.if missing
	.endif
	.endif
