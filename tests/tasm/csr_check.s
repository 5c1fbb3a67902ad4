# -mcsr-check warns of writes to read-only CSRs on the lines on which GNU as does. An instruction that sets or clears bits does not write
# when its source is x0 or 0. The option changes no byte.
# RUN: %gas -march=rv64gc -mno-arch-attr -mcsr-check %s -o %t.gas.o 2>&1 | sed -n 's/.*:\([0-9]*\): Warning.*/\1/p' > %t.gas
# RUN: %tasm -march=rv64gc -mno-arch-attr -mcsr-check %s -o %t.o 2> %t.out; sed -n 's/.*:\([0-9]*\):[0-9]*: warning.*/\1/p' %t.out | diff - %t.gas
# RUN: test $(wc -l < %t.gas) = 15 && %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: FileCheck %s < %t.out
# RUN: %tasm -march=rv64gc %s -o %t.o 2>&1 | not grep .

	csrr	a0, cycle
# CHECK: :[[@LINE+1]]:2: warning: 'csrw' writes CSR 'cycle', which is read-only; 'csrr' reads it
	csrw	cycle, a0
	csrwi	cycle, 0
	csrwi	cycle, 3
	csrw	time, 4
	csrs	cycle, a0
	csrs	cycle, zero
	csrrs	a0, cycle, zero
	csrrc	a0, cycle, a1
	csrrc	a0, cycle, x0
	csrrw	zero, time, zero
	csrrsi	a0, cycle, 0
	csrrsi	a0, cycle, 1
	csrrci	a0, cycle, 0
	csrsi	cycle, 0
	csrci	cycle, 2
	csrc	cycle, x0
	.equ	number, 0xc01
# CHECK: :[[@LINE+1]]:2: warning: 'csrw' writes CSR 'time', which is read-only
	csrw	number, a0
# CHECK: :[[@LINE+1]]:2: warning: 'csrw' writes CSR 0xfff, which is read-only; 'csrr' reads it
	csrw	0xfff, a0
	csrw	mvendorid, a0
	csrw	mvendorid, a0
	csrrw	a0, mhartid, a1
	csrrwi	a0, mhartid, 0
	csrw	mscratch, a0
	rdcycle	a0
	fscsr	a0
