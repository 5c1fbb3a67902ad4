# Code in 50000 pages runs twice. The memory for decoded code is limited (it would be 1 GB otherwise; the sanitizers need extra memory), and the run
# continues after it is freed.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: %python -c 'import resource, subprocess, sys; status = subprocess.run(sys.argv[1:]).returncode; \
# RUN:   sys.exit(status != 42 or resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 900000)' %temu %t
# RUN: sh -c '%temu --stats %t 2>/dev/null; test $? = 42'
# RUN: sh -c '%temu --stats --trace=/dev/null %t 2>/dev/null; test $? = 42'
	.option norelax
	.globl _start
_start:
	li a0, 0
	li a1, 50000 * 4096
	li a2, 7
	li a3, 0x22
	li a4, -1
	li a5, 0
	li a7, 222
	ecall
	mv s0, a0
	lw s1, increment
	lw s2, return
	li s3, 2
	li s4, 0
again:
	mv t0, s0
	li t1, 50000
1:	sw s1, 0(t0)
	sw s2, 4(t0)
	jalr t0
	li t2, 4096
	add t0, t0, t2
	addi t1, t1, -1
	bnez t1, 1b
	addi s3, s3, -1
	bnez s3, again
	li t0, 100000
	li a0, 42
	beq s4, t0, 2f
	li a0, 1
2:	li a7, 93
	ecall
increment:
	addi s4, s4, 1
return:
	ret
