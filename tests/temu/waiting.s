# --timeout also stops a program that waits for input. Input that arrives in pieces is read completely.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: sh -c 'sleep 2 | %temu --timeout 1 %t; test $? = 124'
# RUN: sh -c '(echo | %temu --timeout 1 %t full; echo $? >%t.status) | sleep 2; test $(cat %t.status) = 124'
# RUN: sh -c '(printf abc; sleep 0.2; printf def) | %temu %t; test $? = 6'
# RUN: sh -c '%temu %t </dev/null; test $? = 0'
	.option norelax
	.globl _start
_start:
	# with an argument: a write that nobody reads
	ld t0, 0(sp)
	li t1, 1
	beq t0, t1, 1f
	li a0, 1
	la a1, buffer
	li a2, 1 << 20
	li a7, 64
	ecall
1:
	li a0, 0
	la a1, buffer
	li a2, 100
	li a7, 63
	ecall
	li a7, 93
	ecall
	.bss
buffer:	.zero 1 << 20
