# A label before a directive that works on text is defined at the place of that directive, for every such directive.
# RUN: %tasm -march=rv64g %s -o %t.o && %gas -march=rv64g -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: %tobjdump -t %t.o | FileCheck %s
# CHECK-DAG: 0000000000000000 l .text 0000000000000000 repeat
# CHECK-DAG: 0000000000000008 l .text 0000000000000000 short
# CHECK-DAG: 0000000000000010 l .text 0000000000000000 alternate
# CHECK-DAG: 0000000000000014 l .text 0000000000000000 plain
# CHECK-DAG: 0000000000000014 l .text 0000000000000000 each
# CHECK-DAG: 000000000000001c l .text 0000000000000000 purge
repeat:	.rept	2
	nop
	.endr
short:	.rep	2
	nop
	.endr
alternate: .altmacro
	nop
plain:	.noaltmacro
each:	.irp	register, a0, a1
	mv	\register, a2
	.endr
	.macro	nothing
	.endm
purge:	.purgem	nothing
	.quad	repeat, short, alternate, plain, each, purge
