# Lines whose meaning GNU as and llvm-mc see differently, and lines that both refuse.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s

	beq a0, a1, 16
# CHECK: [[@LINE-1]]:14: warning: the target 16 is an address, not a distance; write '. + 16' for a distance
	j -16
# CHECK: [[@LINE-1]]:4: warning: the target -16 is an address, not a distance; write '. - 16' for a distance
	jal 0x10000000
# CHECK-NOT: [[@LINE-1]]:
	bnez a0, 3
# CHECK: [[@LINE-1]]:11: error: the target 3 is odd; expected the address of an instruction
	c.nop 0
# CHECK: [[@LINE-1]]:8: error: operand 1 of 'c.nop'
	c.nop 1
# CHECK-NOT: [[@LINE-1]]:
	la a0, foo@plt
# CHECK: [[@LINE-1]]:{{[0-9]+}}: error:
	call foo@plt
# CHECK-NOT: [[@LINE-1]]:
	lla a0, 0x80000000
# CHECK: [[@LINE-1]]:10: error: operand 2 of 'lla'
	lla a0, -0x80000000
# CHECK-NOT: [[@LINE-1]]:
	.option norelax
	.set far, 0xffffffff
	la a0, far
# CHECK: [[@LINE-1]]:9: error: operand 2 of 'la'
	.offset 0
	beq a0, a1, here
# CHECK: [[@LINE-1]]:2: error: section '*ABS*' has no contents
here:
