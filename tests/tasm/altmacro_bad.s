# Errors in the use of .altmacro.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	.altmacro
	.macro m a
	.word a
	.endm
	m <1
# CHECK: [[@LINE-1]]:4: error: '<' without '>'
	m %
# CHECK: [[@LINE-1]]:4: error: expected an expression after '%'
	m %undefined
# CHECK: [[@LINE-1]]:5: error: the value of '%' must be a number known here; it depends on the undefined symbol 'undefined'
	m %1 2
# CHECK: [[@LINE-1]]:7: error: macro 'm' takes 1 argument, found more
	.macro l a
	LOCAL a
	.endm
	l 1
# CHECK: [[@LINE-1]]:2: error: 'a' of LOCAL is already a parameter of the macro or a name of LOCAL
	.macro t
	LOCAL b, b
	.endm
	t
# CHECK: [[@LINE-1]]:2: error: 'b' of LOCAL is already a parameter of the macro or a name of LOCAL
	.irp x, 1
	LOCAL y
# CHECK: [[@LINE-1]]:2: error: unknown instruction 'local'
	.endr
