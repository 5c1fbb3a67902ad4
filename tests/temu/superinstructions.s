# Superinstructions behave as their instructions do: with a store that changes the next instruction, a jump into the middle, and a fault in the last
# instruction, which is reported with its own pc and count. The observed executor, which has no superinstructions, does the same.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -N -o %t %t.o
# RUN: not %temu %t 2>%t.plain
# RUN: not %temu --stats=%t.stats --trace=/dev/null %t 2>%t.observed
# RUN: diff %t.plain %t.observed
# RUN: FileCheck %s <%t.plain
# RUN: FileCheck --check-prefix=COUNT %s <%t.stats
# CHECK: load access fault (cause 5, address 0x8
# CHECK-NEXT: pc {{.*}} <last_part>
# COUNT: instructions {{ *}}38

	.option norelax
	.globl _start
	.balign 8
_start:
	# sd, addi: changed before it runs
	la t0, patched
	la t1, patch
	ld t1, 0(t1)
	li a0, 0
	sd t1, 0(t0)
patched:
	addi a0, a0, 1
	addi a0, a0, 2
	li t0, 42
	bne a0, t0, fail

	# addi, bne: from above, then from the middle
	li a1, 3
	li a2, 0
loop:
	addi a1, a1, -1
middle:
	bne a1, zero, loop
	addi a2, a2, 1
	li t0, 3
	beq a2, t0, done
	j middle
fail:
	ebreak
done:
	# ld, ld, ld, ld: the last one faults, those before it are done
	la t0, patch
	li t1, 8
	ld a3, 0(t0)
	ld a4, 0(t0)
	ld a5, 0(t0)
last_part:
	ld a6, 0(t1)
	.balign 8
patch:
	addi a0, a0, 40
	addi a0, a0, 2
