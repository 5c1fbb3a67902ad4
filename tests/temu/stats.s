# --stats: counts by class and by instruction, memory traffic, the same on both runs; on standard error.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: %temu --stats %t 2>%t.1 && %temu --stats --trace=/dev/null %t 2>%t.2 && cmp %t.1 %t.2
# RUN: FileCheck %s --match-full-lines <%t.1
# RUN: sh -c '%temu --stats %t 2>/dev/full; test $? = 1'
# CHECK: instructions 57
# CHECK-NEXT: by class
# CHECK-NEXT: integer 25 43.86%
# CHECK-NEXT: load 10 17.54%
# CHECK-NEXT: store 10 17.54%
# CHECK-NEXT: branch 10 17.54%
# CHECK-NEXT: system 2 3.51%
# CHECK-NEXT: by instruction
# CHECK-NEXT: addi 24 42.11%
# CHECK-NEXT: bne 10 17.54%
# CHECK-NEXT: lw 10 17.54%
# CHECK-NEXT: sd 10 17.54%
# CHECK-NEXT: auipc 1 1.75%
# CHECK-NEXT: ecall 1 1.75%
# CHECK-NEXT: fence 1 1.75%
# CHECK-NEXT: memory
# CHECK-NEXT: loads 10
# CHECK-NEXT: bytes loaded 40
# CHECK-NEXT: stores 10
# CHECK-NEXT: bytes stored 80
# CHECK-NEXT: range bytes read 0
# CHECK-NEXT: range bytes written 0
# CHECK-NEXT: tensor units
# CHECK: matrix: multiply-adds 0
# CHECK: histogram: {{.*}} 0
	.option norelax
	.globl _start
_start:
	la s0, data
	li s1, 10
1:	lw t0, 4(s0)
	sd t0, 8(s0)
	addi t0, t0, 1
	addi s1, s1, -1
	bnez s1, 1b
	fence
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 16
data:	.zero 16
