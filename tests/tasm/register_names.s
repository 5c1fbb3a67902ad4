# A symbol that .equ, .set or = sets to a register is a name of the register; the symbol of a function or a variable keeps its meaning.
# RUN: %tasm %s -o %t.o && %tobjdump -dr %t.o | FileCheck %s && %greadelf -sW %t.o | FileCheck --check-prefix=SYMBOLS %s
# RUN: not %tasm --defsym BAD=1 %s -o %t.bad 2>&1 | FileCheck --check-prefix=BAD %s

	.equ acc, a0
	.set next, t0
	sum = fa0
	.equ again, acc
	add acc, acc, a1
# CHECK: add a0,a0,a1
	lw a1, 8(next)
# CHECK: lw a1,8(t0)
	fadd.s sum, sum, sum
# CHECK: fadd.s fa0,fa0,fa0
	.set next, t1
	lw a1, 8(next)
# CHECK: lw a1,8(t1)
	mv again, next
# CHECK: mv a0,t1
s1:	ret
	.set alias, s1
	.globl alias
	call alias
# CHECK: R_RISCV_CALL_PLT {{alias|s1}}
# SYMBOLS-NOT: acc
# SYMBOLS: s1
# SYMBOLS: alias
# SYMBOLS-NOT: a0
.ifdef BAD
	fadd.s acc, sum, sum
# BAD: [[@LINE-1]]:9: error: operand 1 of 'fadd.s': expected arithmetic register, found register 'acc'
.endif
