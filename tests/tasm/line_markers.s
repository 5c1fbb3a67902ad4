# Line markers of the C preprocessor number and name the lines after them.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s

# 40 "kernel.S" 2
	nop
	addi a0, a0, 5000
# CHECK: kernel.S:41:15: error: operand 3 of 'addi'
# CHECK-NEXT: addi a0, a0, 5000
# 7 "header.h"
	.fooo
# CHECK: header.h:7:2: error: unknown directive '.fooo'
