# The user environment has user mode only: machine-level instructions and CSRs are illegal there, and of the counters those that Linux shows can be read.
#
# RUN: for instruction in mret wfi 'csrr a0, mstatus' 'csrw mscratch, a0' 'csrr a0, mcycle' 'csrr a0, hpmcounter3' 'csrr a0, pmpcfg0'; do \
# RUN:     printf '.globl _start\n_start: nop\n%%s\n' "$instruction" | %tasm -o %t.o - && %tld -o %t %t.o && \
# RUN:     sh -c '%temu %t; test $? = 132' 2>&1 | grep 'illegal instruction (cause 2' || exit 1; done | count 7
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu %t

	.globl	_start
_start:	rdcycle	a0
	rdtime	a1
	rdinstret a2
	li	a0, 0
	li	a7, 93
	ecall
