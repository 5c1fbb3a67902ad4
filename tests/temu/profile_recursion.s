# --profile: a function calls itself from 20,000 places. Each of these calls is counted once, however much room they take.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --profile=%t.out --profile-format=callgrind %t
# RUN: grep -c '^calls=1 ' %t.out | FileCheck %s && not grep '^calls=[^1]' %t.out
# CHECK: {{^}}20001{{$}}
	.globl _start, many
_start:
	li a0, 1
	call many
	li a7, 93
	li a0, 0
	ecall

many:	beqz a0, 1f
	mv s0, ra
	.rept 20000
	li a0, 0
	jal many
	.endr
	mv ra, s0
1:	ret
