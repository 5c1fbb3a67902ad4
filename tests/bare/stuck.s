# A program that ends with a jump to itself, by an immediate and by a register, after a loop that is native code. temu says where it waits; the count of
# instructions is the same in each tier.
#
# RUN: %gas -march=rv64gc -o %t.o %s && %gld -T %S/Inputs/bare.ld -o %t %t.o
# RUN: sh -c '%temu --tier=interp --dump-state=%t.interpreted %t; test $? = 123' 2>&1 | FileCheck %s
# RUN: sh -c '%temu --tier=translate --dump-state=%t.translated %t; test $? = 123' 2>&1 | FileCheck %s
# RUN: sh -c '%temu --dump-state=%t.auto %t; test $? = 123' 2>&1 | FileCheck %s
# RUN: diff %t.interpreted %t.translated && diff %t.interpreted %t.auto
# RUN: %gas -march=rv64gc --defsym REGISTER=1 -o %t.r.o %s && %gld -T %S/Inputs/bare.ld -o %t.r %t.r.o
# RUN: sh -c '%temu --tier=interp --dump-state=%t.interpreted %t.r; test $? = 123' 2>&1 | FileCheck %s
# RUN: sh -c '%temu --tier=translate --dump-state=%t.translated %t.r; test $? = 123' 2>&1 | FileCheck %s
# RUN: sh -c '%temu --dump-state=%t.auto %t.r; test $? = 123' 2>&1 | FileCheck %s
# RUN: diff %t.interpreted %t.translated && diff %t.interpreted %t.auto
# CHECK: stopped: waits for an interrupt that cannot come, at {{.*}} <waits>

	.globl	_start
_start:	li	t1, 20000000
1:	addi	t1, t1, -1
	bnez	t1, 1b
	la	t0, waits
	.ifdef	REGISTER
waits:	jr	t0
	.else
waits:	j	waits
	.endif
