# Errors of conditions, macros and repetitions.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

.endif
# CHECK-DAG: [[@LINE-1]]:1: error: '.endif' without '.if'
.else
# CHECK-DAG: [[@LINE-1]]:1: error: '.else' without '.if'
.elseif 1
# CHECK-DAG: [[@LINE-1]]:1: error: '.elseif' without '.if'
.endm
# CHECK-DAG: [[@LINE-1]]:1: error: '.endm' without '.macro'
.endr
# CHECK-DAG: [[@LINE-1]]:1: error: '.endr' without '.rept', '.irp' or '.irpc'
.exitm
# CHECK-DAG: [[@LINE-1]]:1: error: '.exitm' outside a macro
.if 1
.else
.else
# CHECK-DAG: [[@LINE-1]]:1: error: '.else' after the '.else' of the same '.if'
.elseif 1
# CHECK-DAG: [[@LINE-1]]:1: error: '.elseif' after the '.else' of the same '.if'
.endif
.if
# CHECK-DAG: [[@LINE-1]]:4: error: argument 1 of '.if': expected an expression
.endif
.if undefd
# CHECK-DAG: [[@LINE-1]]:5: error: a condition must be a number known here; it depends on the undefined symbol 'undefd'
.endif
.if x
# CHECK-DAG: [[@LINE-1]]:5: error: a condition must be a number known here; it depends on the undefined symbol 'x'
.endif
x: .ifc a
# CHECK-DAG: [[@LINE-1]]:9: error: expected two texts with ',' between them
.endif
.ifeqs "a"
# CHECK-DAG: [[@LINE-1]]:11: error: argument 2 of '.ifeqs': expected a string in quotes
.endif
.ifdef
# CHECK-DAG: [[@LINE-1]]:7: error: argument 1 of '.ifdef': expected the name of a symbol
.endif
.if 1/0
# CHECK-DAG: [[@LINE-1]]:7: error: division by zero
.endif
.rept -5
# CHECK-DAG: [[@LINE-1]]:7: error: the count of '.rept' is -5; it must not be negative
.endr
.rept x
# CHECK-DAG: [[@LINE-1]]:7: error: the count of '.rept' must be a number known here; it depends on the address of symbol 'x'
.endr
.rept
# CHECK-DAG: [[@LINE-1]]:6: error: argument 1 of '.rept': expected an expression
.endr
.irp
# CHECK-DAG: [[@LINE-1]]:5: error: expected the name of the parameter that takes the values
.endr
.purgem none
# CHECK-DAG: [[@LINE-1]]:9: error: no macro 'none' is defined
.macro
# CHECK-DAG: [[@LINE-1]]:7: error: expected the name of the macro
.endm
.macro m 5
# CHECK-DAG: [[@LINE-1]]:10: error: expected the name of a parameter, found '5'
.endm
.macro m a:foo
# CHECK-DAG: [[@LINE-1]]:12: error: unknown qualifier 'foo' of a parameter; known: req, vararg
.endm
.macro m a:vararg, b
# CHECK-DAG: [[@LINE-1]]:20: error: no parameter may follow the one that takes the rest (:vararg)
.endm
.macro m a, a
# CHECK-DAG: [[@LINE-1]]:13: error: parameter 'a' is named twice
.endm
.macro m x:req, y
# CHECK-DAG: [[@LINE-1]]:1: note: defined here
# CHECK-DAG: [[@LINE-2]]:1: note: first defined here
nop
.endm
m
# CHECK-DAG: [[@LINE-1]]:1: error: macro 'm' needs a value for its parameter 'x'
m 1,2,3
# CHECK-DAG: [[@LINE-1]]:7: error: macro 'm' takes 2 arguments, found more
.macro m
# CHECK-DAG: [[@LINE-1]]:1: error: macro 'm' is already defined
.endm
.if 1
# CHECK-DAG: [[@LINE-1]]:1: error: unterminated '.if': its '.endif' is missing
