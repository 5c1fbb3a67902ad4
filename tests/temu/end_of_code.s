# A program that does not exit runs into what follows its code: zeros, data, or nothing. The report says so, and not for other faults.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && not %temu %t 2>&1 | FileCheck %s --check-prefixes=CHECK,ZEROS
# RUN: %tasm --defsym DATA=1 -o %t.data.o %s && %tld -o %t.data %t.data.o && not %temu %t.data 2>&1 | FileCheck %s
# RUN: %tasm --defsym PAGE=1 -o %t.page.o %s && %tld -o %t.page %t.page.o && not %temu %t.page 2>&1 | FileCheck %s --check-prefix=PAGE
# RUN: %tasm -o %t.bare.o %s && %tld -Ttext=0x80000000 -o %t.bare %t.bare.o && not %temu %t.bare 2>&1 | FileCheck %s --check-prefix=BARE
# ZEROS: illegal instruction
# CHECK: the program ran past the end of its code at 0x[[#%x,]] <last+0x4>
# CHECK-NEXT: backtrace
# PAGE: instruction fetch fault
# PAGE: the program ran past the end of its code at 0x[[#%x,]] <last+0x1000>
# BARE: the program ran past the end of its code at 0x80000006 <last+0x4>
#
# RUN: %tasm --defsym INSIDE=1 -o %t.inside.o %s && %tld -o %t.inside %t.inside.o && not %temu %t.inside 2>&1 | FileCheck %s --check-prefix=INSIDE
# INSIDE: illegal instruction
# INSIDE-NOT: ran past
	.option arch, +c
	.globl _start
_start:	c.nop
	.ifdef INSIDE
	.2byte 0
	.endif
	.ifdef PAGE
	.balign 4096
	.endif
last:	.option arch, -c
	nop
	.ifdef PAGE
	.rept 1023
	nop
	.endr
	.endif
	.ifdef DATA
	.section .rodata, "a"
	.word 0
	.endif
