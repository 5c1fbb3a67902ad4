# The distance of two labels cannot be an immediate if the linker may shorten the code between them.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: sed '/first/d; /later/d' %s > %t.s; %tasm %t.s -o %t.o && %gobjdump -d %t.o | FileCheck --check-prefix=CODE %s

	.option norvc
b2:	nop
d2:
c2:	call elsewhere
b:	nop
c:	li a0, b - c2 # first
# CHECK: [[@LINE-1]]:11: error: operand 2 of 'li': the linker may shorten the code between these labels ('.option norelax' prevents it)
# Code of any size, of which the linker may shorten the end
	.section .text.large, "ax"
large:	.rept 10000
	xor a0, a1, s8
	.endr
	call far
end:	li a0, end - large # first
# CHECK: [[@LINE-1]]:13: error: operand 2 of 'li': the linker may shorten the code between these labels
	.text
	addi a0, a0, (e - c2) * 2 # later: only the end tells
# CHECK: [[@LINE-1]]:15: error: the linker may shorten the code between these labels; put it after '.option norelax'
	li a1, d2 - b2
d:
# CODE: li a1,4
	.option norelax
e:	call elsewhere
f:	li a2, f - e
# CODE: li a2,8
	addi a3, a3, g - e
# CODE: add{{i?}} a3,a3,16
g:
	.data
text:	.ascii "hello"
length = . - text
	.text
	li a4, length
# CODE: li a4,5
