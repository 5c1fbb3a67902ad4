# Errors that are found only when values are resolved.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	.text
start:	nop
	.reloc nowhere, R_RISCV_NONE
# CHECK-DAG: [[@LINE-1]]:9: error: '.reloc' needs a place in a section of this file
	.reloc 1000, R_RISCV_NONE
# CHECK-DAG: [[@LINE-1]]:9: error: offset 1000 is outside section '.text', which has {{[0-9]+}} bytes
	.reloc start - 1, R_RISCV_NONE
# CHECK-DAG: [[@LINE-1]]:9: error: offset -1 is outside section '.text', which has {{[0-9]+}} bytes
	.reloc start, R_RISCV_64, start
# CHECK-DAG: [[@LINE-1]]:9: error: offset 0 is outside section '.text', which has {{[0-9]+}} bytes
	.reloc start, R_RISCV_NONE, undefined - start
# CHECK-DAG: [[@LINE-1]]:30: error: '.reloc' needs an address or a number; found a difference with 'start'
	.reloc space, R_RISCV_NONE
# CHECK-DAG: [[@LINE-1]]:9: error: section '.bss' has no contents that could be relocated
	.bss
space:	.space 4
	.data
	.dtprelword 5
# CHECK-DAG: [[@LINE-1]]:14: error: expected the address of a thread-local symbol
