# A program that has run for long gets registers pinned that are used a little more; a short one would not win back the time to make its code again.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --show-native=loop %t | grep -q 'registers: .*t0 in .*others in memory'
# RUN: %tasm -march=rv64gc --defsym TURNS=1000000 -o %t.o %s && %tld -o %t.short %t.o
# RUN: %temu --show-native=loop %t.short > %t.output && not grep 'registers: .*t0 in .*others in memory' %t.output

	.ifndef	TURNS
	.equ	TURNS, 60000000
	.endif
	.globl	_start
_start:	li	a5, TURNS
loop:	add	a0, a1, a2
	xor	a3, a4, a0
	add	a1, a1, a3
	sub	a2, a2, a0
	xor	a4, a4, a1
	addi	t0, a3, 1
	or	a2, a2, a4
	addi	a5, a5, -1
	bnez	a5, loop
	li	a0, 0
	li	a7, 93
	ecall
