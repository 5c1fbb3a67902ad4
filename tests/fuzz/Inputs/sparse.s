# A seed for tests/fuzz: configures the sparse unit by `descriptor`, and gathers, reduces and updates by the requests after it.
# Descriptor and requests are damaged through temu --load.
	.text
	.globl _start
_start:
	la a0, descriptor
	la a1, requests
	la a2, dense
	lwu a3, count
	sconf a0
	sgather a4, a2, a1, a3
	.irp kind, sum, max, min, mean
	sgather.\kind a4, a2, a1, a3
	.endr
	supdate a2, a1, a3
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 8
	.globl descriptor
descriptor:			# 256 bytes; the driver overwrites the bytes after it, too
	.space 256
count:	.space 16
requests:
	.space 0x1000 - 272
	.space 0x1000			# the tables, from 0x21000 on
dense:	.space 0x8000
