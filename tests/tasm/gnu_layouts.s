# Layouts (.struct, .offset), unique sections of one name, groups attached later and GNU's prefixes of numbers: as in GNU as.
# RUN: %tasm -march=rv64gc %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# Labels of a layout are absolute symbols, known at once. None of them belongs to a section in the symbol table.
# RUN: %greadelf -sW %t.o | FileCheck %s --check-prefix=SYMBOLS
# SYMBOLS-DAG: 000000000000000c {{.*}} ABS last
# SYMBOLS-DAG: 0000000000000018 {{.*}} ABS after
# RUN: %greadelf -SW %t.o | grep -c ' \.many ' | grep -x 4
# RUN: %greadelf -gW %t.o | FileCheck %s --check-prefix=GROUP
# GROUP: group section {{.*}} [mine] contains 1 sections:
# GROUP: .late

	.struct 4
first:	.zero 4
second:	.zero 4
last:
	.balign 16
	.zero 8
after:
size = . - first
	.offset
zeroth:	.zero 1
1:	.zero 1
one = 1b
	.text
	li a0, last
	lw a1, second(a0)
	.if second != 8 || one != 1 || zeroth
	.error "a layout is not known at once"
	.endif

	.section .many,"a",@progbits,unique,1
	.byte 1
	.section .many,"a",@progbits,unique,2
	.byte 2
	.section .many,"a"
	.byte 3
	.section .many,"a",@progbits,unique,1
	.byte 4
	.section .many,"aG",@progbits,other,comdat,unique,1
	.byte 5

	.section .late,"a"
	.byte 6
	.attach_to_group mine

	.data
	.8byte after, size, last + 1
	.float 0e1.5, 0f2.5, 0e5, 0f-3, 0s1e3
	.double 0d-2.5, 0r.5
