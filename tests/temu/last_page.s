# Code at the end of the address space: a branch in its last word, and what follows when it is not taken.
#
# RUN: %tasm -o %t.o %s && %tld --section-start=.high=0xfffff000 -o %t %t.o
# RUN: not %temu --dump-state=%t.auto %t 2>&1 | FileCheck %s
# RUN: not %temu --tier=interp --dump-state=%t.interp %t 2>&1 | FileCheck %s
# RUN: not %temu --tier=translate --dump-state=%t.translate %t 2>&1 | FileCheck %s
# RUN: cmp %t.auto %t.interp && cmp %t.auto %t.translate
# CHECK: instruction fetch fault (cause 1, address 0x100000000: not mapped)
# CHECK: pc 0x100000000
#
# RUN: not %temu --trace %t 2>&1 | FileCheck %s --check-prefix=TRACE
# TRACE-COUNT-301: 0x00000000fffffffc
# TRACE-NEXT: 0x0000000100000000{{.*}} trap=1:0x100000000
#
# Control comes to the address beyond without a turn.
#
# RUN: not %temu --timing %t 2>&1 | FileCheck %s --check-prefix=TIMING
# TIMING: front end: issued 2408 fill 2 branch 1204
	.option norelax
	.option arch, -c
	.globl _start
	.text
_start:	li s0, 300
	li t0, 0xfffffff8
	jr t0
	.section .high, "awx"
high:	addi s0, s0, -1
	beqz s0, 1f
1:	li t0, 0xfffffff8
	jr t0
	.org high + 4088
	nop
last:	bnez s0, high
