# A message that each round of a repetition gives for the same place is shown once, with its notes; all of them count for the exit status, one of
# them for the limit of 50. Messages that say something else in each round, and those about different uses of a macro, are all shown.
#
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
# RUN: printf '.rept 3\n.float 1e60\n.endr\n' >%t.warn.s && not %tasm --fatal-warnings %t.warn.s -o %t.o 2>&1 | grep -c warning: | grep '^1$'
# A hundred of them count as one for the limit, so a long repetition ends.
# RUN: printf '.rept 1000000\nwrnog\n.endr\n' >%t.long.s && not %tasm %t.long.s -o %t.o 2>&1 | FileCheck --check-prefix=LONG %s --implicit-check-not=error:
# LONG: long.s:2:1: error: unknown instruction 'wrnog'
# LONG: tasm: error: more than 50 errors; the rest is not shown

	.macro	wrong
	wrnog
	.endm
	.rept	100
	wrong
# CHECK: [[@LINE-4]]:2: error: unknown instruction 'wrnog'
# CHECK: [[@LINE-2]]:2: note: in expansion of macro 'wrong'
	.float	1e60
# CHECK: [[@LINE-1]]:9: warning: '1e60' is too large
	.endr
	.set	i, 255
	.rept	3
	.byte	i
# CHECK: [[@LINE-1]]:8: error: 256 does not fit
# CHECK: [[@LINE-2]]:8: error: 257 does not fit
	.set	i, i + 1
	.endr
	wrong
# CHECK: error: unknown instruction 'wrnog'
# CHECK: [[@LINE-2]]:2: note: in expansion of macro 'wrong'
	wrong
# CHECK: error: unknown instruction 'wrnog'
# CHECK: [[@LINE-2]]:2: note: in expansion of macro 'wrong'
