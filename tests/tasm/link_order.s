# A section that is ordered by another names the first section of that name, as with GNU as.
# RUN: %tasm %s -o %t.o && %gobjdump -h %t.o > /dev/null && readelf -SW %t.o | FileCheck %s
# CHECK: [ [[#FIRST:]]] .text.f
# CHECK: .text.f
# CHECK: .order {{.*}} AL {{ *}}[[#FIRST]] 0 1
	.section .text.f, "ax", @progbits
	nop
	.section .text.f, "ax", @progbits, unique, 1
	nop
	.section .order, "ao", @progbits, .text.f
	.byte 1
	.ifndef .text.f
	.error "a section that exists counts as defined"
	.endif
