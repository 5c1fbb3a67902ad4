# A jump, or a branch over a jump, that cannot reach its target is an error with the distance and the reach.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	j t
# CHECK: [[@LINE-1]]:4: error: 'j' cannot reach: the distance is 1048576, expected -1048576..1048574, a multiple of 2
	.space 1048576 - 4
t:	.space 1048578
	j t
# CHECK: [[@LINE-1]]:4: error: 'j' cannot reach: the distance is -1048578, expected -1048576..1048574, a multiple of 2
	.section .other, "ax"
	beq a0, a1, u
# CHECK: [[@LINE-1]]:14: error: 'beq' cannot reach: the distance is 1048576, expected -1048576..1048574, a multiple of 2
	.space 1048576 - 4
u:	nop
