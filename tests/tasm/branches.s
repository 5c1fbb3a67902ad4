# Branches at the limits of their reach, forwards, backwards and nested: in reach as in GNU as, else inverted over a jump.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

	.section .text.0, "ax"
	beq a0, a1, at0
	.space 4088
at0:	nop
	.section .text.1, "ax"
	beq a0, a1, at1
	.space 4090
at1:	nop
	.section .text.2, "ax"
	beq a0, a1, at2
	.space 4092
at2:	nop
	.section .text.3, "ax"
	beq a0, a1, at3
	.space 4094
at3:	nop
	.section .text.4, "ax"
	bnez a3, at4
	.space 4088
at4:	nop
	.section .text.5, "ax"
	bnez a3, at5
	.space 4090
at5:	nop
	.section .text.6, "ax"
	bnez a3, at6
	.space 4092
at6:	nop
	.section .text.7, "ax"
	bnez a3, at7
	.space 4094
at7:	nop
	.section .text.8, "ax"
	bgt a0, a1, at8
	.space 4088
at8:	nop
	.section .text.9, "ax"
	bgt a0, a1, at9
	.space 4090
at9:	nop
	.section .text.10, "ax"
	bgt a0, a1, at10
	.space 4092
at10:	nop
	.section .text.11, "ax"
	bgt a0, a1, at11
	.space 4094
at11:	nop
	.section .text.12, "ax"
	bgeu t0, t1, at12
	.space 4088
at12:	nop
	.section .text.13, "ax"
	bgeu t0, t1, at13
	.space 4090
at13:	nop
	.section .text.14, "ax"
	bgeu t0, t1, at14
	.space 4092
at14:	nop
	.section .text.15, "ax"
	bgeu t0, t1, at15
	.space 4094
at15:	nop
	.section .text.16, "ax"
	blez a7, at16
	.space 4088
at16:	nop
	.section .text.17, "ax"
	blez a7, at17
	.space 4090
at17:	nop
	.section .text.18, "ax"
	blez a7, at18
	.space 4092
at18:	nop
	.section .text.19, "ax"
	blez a7, at19
	.space 4094
at19:	nop
	.section .text.20, "ax"
at20:	.space 4094
	blt a0, a1, at20
	nop
	.section .text.21, "ax"
at21:	.space 4096
	blt a0, a1, at21
	nop
	.section .text.22, "ax"
at22:	.space 4098
	blt a0, a1, at22
	nop
	.section .text.23, "ax"
at23:	.space 4100
	blt a0, a1, at23
	nop
	.section .text.chain, "ax"
	beq a0, a1, at24
	.space 4088
	beq a0, a1, u24
at24:	nop
	.space 4084
u24:	nop
	.section .text.24, "ax"
	beq a0, a1, at25
	beq a0, a1, at25
	.rept 1020
	nop
	.endr
	beq a0, a1, at25
	.align 4
at25:	nop
	.section .far, "ax"
	j at26
	.space 1048570
at26:	nop
b:	.space 1048572
	j b
