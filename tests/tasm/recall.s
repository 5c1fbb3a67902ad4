# A repeated instruction has the same bytes again, unless something has changed that its bytes depend on. GNU as has
# no such cache.
# RUN: for options in -mrelax -mno-relax; do %tasm -march=rv64gc $options %s -o %t.o && %gas -march=rv64gc -misa-spec=20191213 $options %s -o %t.gas.o && \
# RUN:   %python %tools/compare_objects.py %t.o %t.gas.o || exit 1; done
# RUN: not %tasm -march=rv64i --defsym REFUSED=1 %s -o %t.o 2>&1 | FileCheck %s
# RUN: %tasm -march=rv64gc -al %s -o %t.o | FileCheck --check-prefix=LIST %s
	.text
	addi	a0, a0, 1
	addi	a0, a0, 1
# Changed options.
	.option push
	.option norvc
	addi	a0, a0, 1
	addi	a0, a0, 1
	.option pop
	addi	a0, a0, 1
# Options that hold already, and a part of them that is restored.
	.option rvc
	.option nopic
	addi	a0, a0, 1
	.option push
	.option arch, -c
	.option push
	addi	a0, a0, 1
	.option pop
	addi	a0, a0, 1
	.option pop
	addi	a0, a0, 1
# Macros with the name of the instruction; also within an expansion.
	.macro addi x, y, z
	nop
	.endm
	addi	a0, a0, 1
	.purgem addi
	addi	a0, a0, 1
	.macro twice
	addi	a0, a0, 1
	addi	a0, a0, 1
	.endm
	twice
# Symbols with a value, and symbols with the names of registers.
	.set	k, 5
	addi	a0, a0, k
	.set	k, 6
	addi	a0, a0, k
	jalr	a1
	jalr	a1
	li	a2, 0x12345
	li	a2, 0x12345
	li	a2, 0x123456789abcdef
	li	a2, 0x123456789abcdef
# Branches of .if that are left out.
	.if 0
	addi	a0, a0, 1
	.endif
# Upper case, other blanks, several statements on a line.
	ADDI	a0, a0, 1
	addi a0,a0,1 ; addi a0,a0,1 # and a comment
	addi a0,a0,1 ; addi a0,a0,1
	.rept	3
	addi	a0, a0, 1
	.endr
# LIST: [[#]] {{[0-9a-f]+}} 0505
# LIST-NEXT: [[#]] {{[0-9a-f]+}} 0505
# Sections and extensions that do not allow the instruction.
	.ifdef REFUSED
	.option arch, +m
	div	a0, a0, a1
	div	a0, a0, a1
	.option arch, -m
# CHECK: :[[#@LINE+1]]:2: error: 'div' needs extension 'm'
	div	a0, a0, a1
	.bss
# CHECK: :[[#@LINE+1]]:2: error: section '.bss' has no contents
	addi	a0, a0, 1
	.endif
