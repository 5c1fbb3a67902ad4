# A program that waits for input is stopped too; input that comes in pieces is read as one.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: sh -c 'sleep 2 | %temu --timeout 1 %t; test $? = 124'
# RUN: sh -c '(printf abc; sleep 0.2; printf def) | %temu %t; test $? = 6'
# RUN: sh -c '%temu %t </dev/null; test $? = 0'
	.option norelax
	.globl _start
_start:
	li a0, 0
	la a1, buffer
	li a2, 100
	li a7, 63
	ecall
	li a7, 93
	ecall
	.bss
buffer:	.zero 100
