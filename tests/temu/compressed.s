# A program with compressed instructions, as gcc generates them by default. One instruction of four bytes crosses a page boundary; when its second
# page is not mapped, the fault is at its second half.
#
# RUN: %gas -march=rv64gc -o %t.o %s && %gld -o %t %t.o
# RUN: sh -c '%temu %t; test $? = 42' && sh -c '%qemu %t; test $? = 42'
# RUN: sh -c '%temu %t 1; test $? = 139' 2>&1 | FileCheck %s
# CHECK: instruction fetch fault (cause 1, address 0x{{[0-9a-f]+}}000: not mapped): SIGSEGV
# CHECK: pc 0x{{[0-9a-f]+}}ffe
	.option norelax
	.globl _start
_start:
	ld s0, 0(sp)
	li s1, 1
	li a0, 40
	j across
	.balign 4096
	.skip 4090
across:
	addi a0, a0, 1
	c.nop
	.option norvc
	addi a0, a0, 1
	.option rvc
	bne s0, s1, last
	li a7, 93
	ecall
	.balign 4096
	.skip 4092
last:
	c.nop
	.2byte 0x0513
