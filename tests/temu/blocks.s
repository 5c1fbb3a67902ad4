# Zicbom, Zicbop and Zicboz in the user environment: a block is zeroed whole, whatever address in it is given; the others change nothing. A block that
# cannot be written faults at the address that was given; cleaning needs one that can be read or written; a prefetch never faults.
#
# RUN: %tasm -march=rv64gc_zicbom_zicbop_zicboz -o %t.o %s && %tld -o %t %t.o
# RUN: %python %tools/tiers.py %temu %t
# RUN: %temu %t && %temu --tier=translate %t && %temu --tier=optimize %t
# RUN: %temu --trace=%t.trace --max-insns=20 %t; FileCheck --check-prefix=TRACE %s < %t.trace
# TRACE: cbo.zero (a0) {{.*}}| store8[0x{{[0-9a-f]+}}40]=0x0 store8[0x{{[0-9a-f]+}}48]=0x0 {{.*}}store8[0x{{[0-9a-f]+}}78]=0x0{{$}}
# The size of a block is a setting.
# RUN: printf 'memory:\n  block: 128\n' > %t.yaml
# RUN: not %temu --machine %t.yaml %t
# RUN: %tasm --defsym BLOCK=128 -march=rv64gc_zicbom_zicbop_zicboz -o %t.o %s && %tld -o %t %t.o && %temu --machine %t.yaml %t
# RUN: printf 'memory:\n  block: 48\n' > %t.yaml; not %temu --machine %t.yaml %t 2>&1 | FileCheck --check-prefix=SIZE %s
# SIZE: error: memory.block: 48 is not a power of two
#
# RUN: %tasm --defsym FAULT=1 -march=rv64gc_zicbom_zicbop_zicboz -o %t.o %s && %tld -o %t %t.o && not %temu %t 2>&1 | FileCheck --check-prefix=TEXT %s
# TEXT: store access fault (cause 7, address 0x{{[0-9a-f]+}}: read-only code)
# RUN: %tasm --defsym FAULT=2 -march=rv64gc_zicbom_zicbop_zicboz -o %t.o %s && %tld -o %t %t.o && not %temu %t 2>&1 | FileCheck --check-prefix=NONE %s
# NONE: store access fault (cause 7, address 0x123

	.ifndef	BLOCK
	.equ	BLOCK, 64
	.endif
	.ifndef	FAULT
	.equ	FAULT, 0
	.endif
	.globl	_start
_start:	la	a0, area + BLOCK + 13
	cbo.zero (a0)
	la	a1, area
	li	a2, 3 * BLOCK
	li	a3, BLOCK
	li	a4, 0			# offset
	la	a5, _start
	cbo.clean (a5)
	cbo.flush 0(a0)
	cbo.inval (a0)
	prefetch.r 32(zero)
	prefetch.w -32(a0)
	prefetch.i (a0)
1:	add	a5, a1, a4
	lbu	a6, (a5)
	li	a7, 0xff
	bltu	a4, a3, 2f
	slli	t0, a3, 1
	bgeu	a4, t0, 2f
	li	a7, 0
2:	bne	a6, a7, bad
	addi	a4, a4, 1
	bltu	a4, a2, 1b
	.if	FAULT == 1
	la	a0, _start
	cbo.zero (a0)
	.elseif	FAULT == 2
	li	a0, 0x123
	cbo.clean (a0)
	.endif
	li	a0, 0
	li	a7, 93
	ecall
bad:	li	a0, 1
	li	a7, 93
	ecall

	.data
	.balign	256
area:	.fill	3 * BLOCK, 1, 0xff
