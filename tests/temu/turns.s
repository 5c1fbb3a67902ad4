# The turns of threads: their length, their order, and what each thread has of its own. Three threads write letters, which each reads
# through row 0 of its own traversal unit. The interleaving is exact, and the same in every way to execute.
#
# RUN: %tasm -g -o %t.o %s && %tld -o %t %t.o
# RUN: for quantum in 1 13 60; do printf "threads:\n  quantum: $quantum\n" >%t.$quantum; done
# RUN: for how in --tier=auto --tier=interp --tier=translate --reference --trace=%t.trace --stats=%t.stats; do \
# RUN:     for quantum in 1 13 60; do \
# RUN:         %temu $how --machine %t.$quantum %t | FileCheck %s --check-prefix=Q$quantum --match-full-lines || exit 1; \
# RUN:     done; \
# RUN: done
#
# The first turn begins with the clone that makes the second thread. A letter takes 6 instructions, so a turn of 60 has 10 of them, or
# 9 where it begins or ends with others. At the end, the formats of 8-bit values: one thread has another than it inherited.
# Q1: 01A2aB3bC4cD5dE6eF7fG8gH9hI@iJ#jK$kL%lM&mN*nO(oP)pQ[qR]rS{sT}tU+uV=vWwXx 011
# Q13: 0A12BCab34DEcd56FGefg78HIhi9@#JKLjk$%MNlm&*OPno()QRpq[]STrst{}UVuv+=WXwx 011
# Q60: abcdef012345678ABCDEFGHIghijklmnop9@#$%&*()[JKLMNOPQRSqrstuvwx]{}+=TUVWX 011
#
# A trace has a line for each instruction, in the order of the turns. The first thread waits, which ends its turn; its call is one line,
# in the turn in which it is over. The second thread wakes it and ends; then it is the turn of the third one.
# RUN: printf "threads:\n  quantum: 200\n" >%t.200 && %temu --machine %t.200 --trace=%t.trace --stats=%t.stats %t | FileCheck %s --check-prefix=Q200 --match-full-lines
# RUN: cut -c1-140 %t.trace | FileCheck %s --check-prefix=TRACE
# RUN: test $(grep -c '<wait.* ecall ' %t.trace) = 1 && test $(grep -vc '^#' %t.trace) = 555 && grep -x 'instructions  *555' %t.stats
# Q200: abcdefghijklmnopqrstuvwx0123456789@#$%&*()[]{}+=ABCDEFGHIJKLMNOPQRSTUVWX 011
# TRACE:      202 {{.*}} <wait+0x10> {{.*}} li a7,98
# TRACE-NEXT: 203 {{.*}} <begin+0x14> {{.*}} bnez a0
# TRACE:      368 {{.*}} <work+0x52> {{.*}} ecall {{.*}} a0=0x1
# TRACE:      371 {{.*}} <work+0x5c> {{.*}} ecall
# TRACE-NEXT: 372 {{.*}} <begin+0x14> {{.*}} bnez a0
# TRACE:      540 {{.*}} <work+0x5c> {{.*}} ecall
# TRACE-NEXT: 541 {{.*}} <wait+0x14> {{.*}} ecall {{.*}} a0=0x0

	.set SYS_write, 64
	.set SYS_exit, 93
	.set SYS_exit_group, 94
	.set SYS_futex, 98
	.set SYS_clone, 220
	.set CLONE_THREAD_FLAGS, 0x50f00

	.text
	.globl _start
_start:
	la s2, place
	la s3, written
	la s4, formats
	la s5, done
	li s6, 24                       # letters of each
	csrwi tf8, 1                    # both threads begin with it
	la s7, digits
	call begin
	la s7, capitals
	call begin
	la s7, letters
	csrwi tf8, 0
	li s8, 0
	j work
begin:
	li a0, CLONE_THREAD_FLAGS
	li a1, 0
	li a7, SYS_clone
	addi s8, s8, 1                  # number of the thread
	ecall
	bnez a0, 1f
	j work
1:	ret

work:	tclear 0
	tset.init 0, 0, 0
	tset.step 0, 0, 1
	tset.end 0, 0, s6
	tbase 0, s7
	tinit 0
	mv s1, s6
	li t1, 1
1:	tlbu t0, 0
	amoadd.d t2, t1, (s2)
	add t2, t2, s3
	sb t0, 0(t2)
	addi s1, s1, -1
	bnez s1, 1b
	csrr t0, tf8
	add t1, s4, s8
	addi t0, t0, '0'
	sb t0, 0(t1)
	li t1, 1
	amoadd.w t0, t1, (s5)
	beqz s8, wait
	mv a0, s5                       # wake the first thread
	li a1, 1
	li a2, 1
	li a7, SYS_futex
	ecall
	li a0, 0
	li a7, SYS_exit
	ecall

wait:	lw a2, (s5)
	li t0, 3
	beq a2, t0, over
	mv a0, s5
	li a1, 0
	li a3, 0
	li a7, SYS_futex
	ecall
	j wait

over:	li a0, 1
	la a1, written
	li a2, 3 * 24 + 5
	li a7, SYS_write
	ecall
	li a0, 0
	li a7, SYS_exit_group
	ecall

	.data
letters:
	.ascii "abcdefghijklmnopqrstuvwx"
capitals:
	.ascii "ABCDEFGHIJKLMNOPQRSTUVWX"
digits:	.ascii "0123456789@#$%&*()[]{}+="
	.balign 8
place:	.dword 0
done:	.word 0
written:
	.zero 3 * 24
	.ascii " "
formats:
	.ascii "???"
	.ascii "\n"
