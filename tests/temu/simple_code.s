# Code that is made at once is simple first: block by block, each of which counts how often it is executed. A block that is executed often gets better
# code, and what led to the simple code leads there. The runs of better code end where control rarely came. Stops are exact before and after that.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %python %tools/tiers.py %temu --insns 766,767,768,769,770,771,1999 --print 'sum:u64' --print 'rare:u64' %t
# RUN: %temu --tier=translate --show-native=first --show-native=loop --show-native=seldom %t | FileCheck %s
# RUN: %temu --tier=optimize --show-native=first %t > %t.out && ! grep 'how often' %t.out && grep -q 'count: 2 instructions' %t.out
#
# This block is executed once. The blocks behind it in its run are replaced.
# CHECK: native code of {{.*}} <first>: a run of blocks
# CHECK: {{^[0-9a-f]+}} <first>:
# CHECK-NEXT: [count: 2 instructions, and how often]
# CHECK: {{^[0-9a-f]+}} <next>:
# CHECK-NEXT: [jump: to better code]
# CHECK: rarely executed:
#
# CHECK: native code of {{.*}} <loop>: a run of blocks
# CHECK: {{^[0-9a-f]+}} <loop>:
# CHECK-NEXT: [count: 3 instructions]
# CHECK-NOT: seldom>:
# CHECK: {{^[0-9a-f]+}} <next>:
# CHECK-NEXT: [count: 4 instructions]
# CHECK: rarely executed:
#
# CHECK: native code of {{.*}} <seldom>: a run of blocks
# CHECK: {{^[0-9a-f]+}} <seldom>:
# CHECK-NEXT: [count: 4 instructions, and how often]

	.globl	_start
_start:	la	s1, sum
	beqz	sp, _start
first:	li	s0, 1000
	bnez	sp, loop
loop:	ld	a0, (s1)
	andi	a1, s0, 255
	beqz	a1, seldom
next:	add	a0, a0, s0
	sd	a0, (s1)
	addi	s0, s0, -1
	bnez	s0, loop
	li	a0, 0
	li	a7, 93
	ecall

seldom:	ld	a2, 8(s1)
	addi	a2, a2, 1
	sd	a2, 8(s1)
	j	next

	.data
	.balign	8
sum:	.dword	0
rare:	.dword	0
