# Messages about values name a local label as the source does.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	.text
1:	nop
	.word 1b * 2, . * 2, 2$ + 1b
2$:	nop
# CHECK-DAG: [[@LINE-2]]:8: error: an operand of '*' must be a number; it depends on symbol '1:'
# CHECK-DAG: [[@LINE-3]]:16: error: an operand of '*' must be a number; it depends on symbol '.'
# CHECK-DAG: [[@LINE-4]]:23: error: cannot add '2$:' and '1:': the sum of two addresses is not an address
	addi a0, a0, 1b
# CHECK-DAG: [[@LINE-1]]:15: error: operand 'imm' of 'addi': expected 12-bit signed immediate (-2048..2047), found the address of symbol '1:'
