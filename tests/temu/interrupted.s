# SIGINT, SIGTERM and SIGHUP end a run as a time limit does: the outputs are complete. SIGUSR1, and --progress, show how far it is.
#
# RUN: printf 'scratchpad: {size: 1G}\n' > %t.yaml && %tasm -o %t.o %s && %tld --spm-size=0x40000000 -o %t %t.o
# RUN: %python %S/Inputs/interrupted.py %temu %t %t.yaml | FileCheck %s
# CHECK-NOT: BAD
# CHECK: {{[0-9]+}} runs
# RUN: not %temu --progress=often %t 2>&1 | FileCheck %s --check-prefix=OFTEN
# OFTEN: --progress=often: expected auto, yes or no

	.option norelax
	.globl _start
_start:
	ld s0, 16(sp)			# argv[1] says what to do
	lbu s0, 0(s0)
	la a1, ready
	li a2, 6
	call put
	li t0, 'r'
	beq s0, t0, read_input
	li t0, 'w'
	beq s0, t0, write_output
	li t0, 'm'
	beq s0, t0, multiply
	li t0, 'p'
	beq s0, t0, prompt
count_up:
	la s1, count
	.globl loop
loop:	ld t0, 0(s1)
	addi t0, t0, 1
	sd t0, 0(s1)
	j loop

read_input:
	li a0, 0
	la a1, buffer
	li a2, 100
	li a7, 63
read:	ecall
	j read_input

write_output:
	li a0, 1
	la a1, buffer
	li a2, 1 << 20
	li a7, 64
write:	ecall
	j write_output

multiply:
	li a0, 0x40000000
	li a1, 1 << 13
product:
	mm.f32 a0, a0, a0, a1, a1, a1
	j product

# Part of a line, some time for progress to be due, the rest of the line.
prompt:	la a1, first
	li a2, 2
	call put
	li t0, 400000000
1:	addi t0, t0, -1
	bnez t0, 1b
	la a1, first + 2
	li a2, 4
	call put
	j count_up

put:	li a0, 1
	li a7, 64
	ecall
	ret

	.data
count:	.dword 0
ready:	.ascii "ready\n"
first:	.ascii "first\n"
	.bss
buffer:	.zero 1 << 20
