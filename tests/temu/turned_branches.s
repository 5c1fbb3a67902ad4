# A run goes on where a branch leads to when control hardly ever came to what follows it: its native code has the inverse branch there. So a loop whose
# rounds take such a branch is one run. The results, and the state where a run is stopped, are the same for each of the branches.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %python %tools/tiers.py %temu --insns 3500,3501,3502,3503,3504,3505,3506,3507,9990,9991,9992 --print 'sums:u64' --print 'sums+8:u64' %t
# RUN: %temu --tier=translate --show-native=loop_bne --show-native=loop_beq --show-native=loop_bgeu %t | FileCheck %s
#
# CHECK: native code of {{.*}} <loop_bne>: a run of blocks
# CHECK: bne
# CHECK-NOT: rare_bne>:
# CHECK: {{^[0-9a-f]+}} <usual_bne>:
# CHECK: rarely executed:
# CHECK: native code of {{.*}} <loop_beq>: a run of blocks
# CHECK: beqz
# CHECK-NOT: rare_beq>:
# CHECK: {{^[0-9a-f]+}} <usual_beq>:
# CHECK: j {{.*}}loop_beq
# CHECK: rarely executed:
# CHECK: native code of {{.*}} <loop_bgeu>: a run of blocks
# CHECK-NOT: rare_bgeu>:
# CHECK: {{^[0-9a-f]+}} <usual_bgeu>:
# CHECK: rarely executed:

# Counts s0 down from 1023 in a loop that takes the branch unless the lower byte of s0 is 0.
	.macro	rounds branch, first, second
	li	s0, 1023
loop_\branch:
	ld	a0, (s1)
	slli	a0, a0, 1
	xor	a0, a0, s0
	andi	a1, s0, 255
	snez	a2, a1
	neg	a3, a2
	addi	a4, a2, -1
	\branch	\first, \second, usual_\branch
rare_\branch:
	ld	a5, 8(s1)
	add	a5, a5, s0
	sd	a5, 8(s1)
usual_\branch:
	sd	a0, (s1)
	addi	s0, s0, -1
	bnez	s0, loop_\branch
	.endm

	.globl	_start
_start:	la	s1, sums
	rounds	bne, a1, zero
	rounds	blt, a3, zero
	rounds	bge, a4, zero
	rounds	bltu, zero, a1
	rounds	bgeu, zero, a4

# The block that the branch of this loop leads to is after all others, and jumps back.
	li	s0, 1023
loop_beq:
	addi	s0, s0, -1
	andi	a1, s0, 255
	seqz	a1, a1
	beqz	a1, usual_beq
rare_beq:
	ld	a5, 8(s1)
	add	a5, a5, s0
	sd	a5, 8(s1)
	bnez	s0, loop_beq
	li	a0, 0
	li	a7, 93
	ecall
usual_beq:
	ld	a0, (s1)
	add	a0, a0, s0
	sd	a0, (s1)
	j	loop_beq

	.data
	.balign	8
sums:	.dword	1, 0
