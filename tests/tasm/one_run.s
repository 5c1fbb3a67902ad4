# One run reports all errors: of the grammar, of the layout, and of the end of the file. It reports none that only
# follows from another: a label before a wrong statement is defined, and a cycle is reported once for each name.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

1:	frob a0
# CHECK-DAG: [[@LINE-1]]:4: error: unknown instruction 'frob'
	j 1b
2:	addi a0, a0, )
# CHECK-DAG: [[@LINE-1]]:17: error: unexpected ')'
	j 2b
	.set p, q
# CHECK-DAG: [[@LINE-1]]:10: error: the value of 'q' depends on itself
	.set q, p
# CHECK-DAG: [[@LINE-1]]:10: error: the value of 'p' depends on itself
	.word p
	.org 4
# CHECK-DAG: [[@LINE-1]]:7: error: '.org' cannot move back
	li a0, table
# CHECK-DAG: [[@LINE-1]]:9: error: {{.*}}found the address of symbol 'table'; use 'la', %pcrel_lo
	mm.f32 (a0), a1, a2, 1, 1, 1
# CHECK-DAG: [[@LINE-1]]:9: error: operand 1 of 'mm.f32': {{.*}}, found '(a0)'
	fence rw, q
# CHECK-DAG: [[@LINE-1]]:12: error: operand 2 of 'fence': expected fence set (letters of iorw), found symbol 'q'
	li a0, 0x10000000000000000
# CHECK-DAG: [[@LINE-1]]:9: error: number '0x10000000000000000' does not fit in 64 bits
table:
