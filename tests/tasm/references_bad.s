# References that no relocation can express.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	.weakref a, a
# CHECK: [[@LINE-1]]:11: error: 'a' would be defined as itself
	.weakref b, c
	.weakref c, b
# CHECK: [[@LINE-1]]:11: error: 'c' would be defined as itself
b:
# CHECK: [[@LINE-1]]:1: error: symbol 'b' is already defined
label:	nop
	.weakref label, b
# CHECK: [[@LINE-1]]:11: error: symbol 'label' is already defined
	.reloc ., R_RISCV_HI2, a
# CHECK: [[@LINE-1]]:12: error: unknown relocation 'R_RISCV_HI2'; did you mean {{.*}}'R_RISCV_HI20'
	.option arch
# CHECK: [[@LINE-1]]:10: error: '.option arch' needs an architecture, or changes: +extension, -extension
	.symver foo, foo@V1
# CHECK: [[@LINE-1]]:2: error: '.symver' is not supported: symbol versions are for shared objects, and programs are static
	.gnu_attribute 4, 5
# CHECK: [[@LINE-1]]:2: error: '.gnu_attribute' is not supported: RISC-V has its own '.attribute'
	.stabs "a", 1, 2, 3, 4
# CHECK: [[@LINE-1]]:2: error: '.stabs' is not supported: stabs are not written; use '-g' or DWARF's '.file' and '.loc'
	.nops 4
# CHECK: [[@LINE-1]]:2: error: '.nops' is not supported: RISC-V's nops have no lengths to choose from; use '.nop', '.balign' or '.rept'
	.bundle_lock
# CHECK: [[@LINE-1]]:2: error: '.bundle_lock' is not supported: bundles are not aligned here; write one as '{ FIRST ; SECOND }'
