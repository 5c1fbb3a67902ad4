# A program with compressed instructions, as gcc makes them by default: a warning says why it faults.
#
# RUN: %gas -march=rv64gc -o %t.o %s && %gld -o %t %t.o && not %temu %t 2>&1 | FileCheck %s
# CHECK: warning: has compressed instructions, which this machine does not; compile and link without extension C (-march=rv64imafd)
# CHECK: illegal instruction
	.globl _start
_start:
	nop
	j target
	nop
target:
	li a7, 93
	ecall
