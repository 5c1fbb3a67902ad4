# The sparse unit from a program: each field of the descriptor at its bound and one beyond it, and one wrong operand or field of a request
# at a time. mcause and mtval are as specified; registers, counters and the configuration do not change.
#
# RUN: %tasm -I %S/Inputs -o %t.o %s && %tld -T %S/Inputs/bare.ld -o %t %t.o && %temu %t
# RUN: %temu --trace=%t.trace --trace-units=sparse %t

	.include "bare.inc"
	.equ	NOWHERE, 0x70000000
	.equ	ACCESS, 24
	.equ	CONFIGURATION, 25

# With another value in a field, the instruction traps with this mtval.
.macro	wrong width, place, value, cause, mtval, instruction:vararg
	la	t1, \place
	li	t2, \value
	l\width	s3, 0(t1)
	s\width	t2, 0(t1)
	traps	\cause, \instruction
	check	s10, \mtval
	la	t1, \place
	s\width	s3, 0(t1)
	call	unharmed
.endm

# Values of a field of the descriptor that are never valid.
.macro	refused width, place, values:vararg
	.irp	number, \values
	wrong	\width, \place, \number, CONFIGURATION, \number, sconf s4
	.endr
.endm

# With this address in t3, the instruction traps with it as mtval.
.macro	misplaced address, instruction:vararg
	la	t3, \address
	traps	ACCESS, \instruction
	check_address s10, \address
.endm
.macro	outside address, instruction:vararg
	li	t3, \address
	traps	ACCESS, \instruction
	check	s10, \address
.endm

	.text
test:	mv	s0, ra
	la	s4, network
	la	s5, dense
	la	s6, requests
	li	a0, 0x5555

	# Before sconf.
	traps	CONFIGURATION, sgather a0, s5, s6, 2
	check	s10, 0
	traps	CONFIGURATION, supdate s5, s6, 0
	check	s10, 0
	check	a0, 0x5555
	check_csr shops, 0

	sconf	s4
	sgather	a1, s5, s6, 2
	check	a1, 14
	check_csr shops, 5			# three for the requests, one for each answer
	check_csr sbytes, 56
	check_csr szbytes, 56
	check_csr scycles, 5			# unit (1,2): 2 * 1 + 4 / 2 + 1 * 1
	csrr	s1, shops

	# The descriptor.
	refused	b, topology, 2, 3, 127
	refused	b, topology + 1, 2, 127
	refused	h, sizes, 0, 65, 0x7fff
	refused	h, sizes + 2, 0, 65, 0x7fff
	refused	h, sizes + 4, 0
	refused	w, tables, 0, 65537, 0x7fffffff
	refused	w, tables + 4, 1
	refused	w, row_first, 1
	refused	w, row_first + 4, 4, 0x7fffffff
	refused	w, row_first + 8, 0, 2, 4
	refused	w, shape, 0
	refused	w, shape + 4, 0
	refused	w, shape + 8, 7, 0x7fffffff
	wrong	w, shape + 12, 4, CONFIGURATION, 5, sconf s4
	wrong	w, shape + 12, 6, CONFIGURATION, 5, sconf s4
	refused	w, col_first, 1
	refused	w, col_first + 4, 6, 0x7fffffff
	refused	w, col_first + 8, 0, 4, 6

	# Bases: nowhere, beyond the last address, misaligned, 60 bytes where there are 56.
	wrong	d, base0, NOWHERE, ACCESS, NOWHERE, sconf s4
	wrong	d, base0, -4, ACCESS, -4, sconf s4
	wrong	d, base0, -56, ACCESS, -56, sconf s4
	wrong	d, base0, 2, ACCESS, 2, sconf s4
	wrong	d, base0, 0x87ffffc8, ACCESS, 0x87ffffc8, sconf s4
	# 2^31 x 2^31 x 5 values of 4 bytes.
	la	t1, shape
	li	t2, 0x80000000
	sw	t2, 0(t1)
	wrong	w, shape + 4, 0x80000000, CONFIGURATION, 0x80000000, sconf s4
	la	t1, shape
	li	t2, 1
	sw	t2, 0(t1)
	# Table 1 on the last value of table 0.
	la	t1, base1
	la	t2, table0 + 56
	sd	t2, 0(t1)
	traps	CONFIGURATION, sconf s4
	check_address s10, table0 + 56
	la	t1, base1
	la	t2, table1
	sd	t2, 0(t1)
	call	unharmed

	# The address of the descriptor, and of its continuation.
	outside	NOWHERE, sconf t3
	outside	64, sconf 64
	outside	0x87fffff8, sconf t3
	la	t0, network
	ld	t1, 0(t0)
	ld	t2, 8(t0)
	li	t3, 0x87fffff0
	sd	t1, 0(t3)
	sd	t2, 8(t3)
	traps	ACCESS, sconf t3
	check	s10, 0x88000000
	call	unharmed

	# The list, then the vector.
	.irp	name, sgather, sgather.sum, sgather.max, sgather.min, sgather.mean
	misplaced requests + 1, \name a0, s5, t3, 2
	misplaced requests + 2, \name a0, s5, t3, 2
	outside	NOWHERE, \name a0, s5, t3, 2
	outside	0x87fffff0, \name a0, s5, t3, 2
	outside	-16, \name a0, s5, t3, 2
	misplaced dense + 1, \name a0, t3, s6, 2
	misplaced dense + 2, \name a0, t3, s6, 2
	outside	NOWHERE, \name a0, t3, s6, 2
	outside	0x87fffff0, \name a0, t3, s6, 2
	outside	-4, \name a0, t3, s6, 2
	li	t3, 1 << 60
	traps	CONFIGURATION, \name a0, s5, s6, t3
	check	s10, 1 << 60
	.endr
	misplaced requests + 1, supdate s5, t3, 2
	outside	NOWHERE, supdate s5, t3, 2
	misplaced dense + 2, supdate t3, s6, 2
	outside	NOWHERE, supdate t3, s6, 2
	li	t3, -1
	traps	CONFIGURATION, supdate s5, s6, t3
	check	s10, -1
	call	unharmed

	# Requests.
	.irp	number, 3, 0x7fffffff
	wrong	w, request, \number, CONFIGURATION, \number, sgather a0, s5, s6, 2
	wrong	w, request, \number, CONFIGURATION, \number, supdate s5, s6, 2
	.endr
	wrong	w, request, 2, CONFIGURATION, 2, sgather.sum a0, s5, s6, 2	# of another type
	wrong	w, request + 4, 2, CONFIGURATION, 1, sgather a0, s5, s6, 2	# the count is too many now
	wrong	w, request + 4, 3, CONFIGURATION, 3, sgather a0, s5, s6, 2
	wrong	w, request + 4, -1, CONFIGURATION, 0xffffffff, sgather a0, s5, s6, 2
	wrong	w, request + 8, 3, CONFIGURATION, 3, sgather a0, s5, s6, 2
	wrong	w, request + 8, -1, CONFIGURATION, 0xffffffff, supdate s5, s6, 2
	wrong	w, request + 12, 1, CONFIGURATION, 1, sgather.mean a0, s5, s6, 2
	check	a0, 0x5555

	# A unit may not read for user mode what user mode may not read: entry 0 of the PMP forbids table 0, entry 1 allows the rest.
	la	t0, table0
	srli	t0, t0, 2
	ori	t0, t0, 7			# 64 bytes, naturally aligned
	csrw	pmpaddr0, t0
	li	t0, -1
	csrw	pmpaddr1, t0
	li	t0, 0x1f18
	csrw	pmpcfg0, t0
	la	t0, in_user_mode
	csrw	mepc, t0
	la	s8, back
	mret
in_user_mode:
	sgather	a0, s5, s6, 2
back:	check	s7, ACCESS
	check_address s10, table0
	check_address s9, in_user_mode
	call	unharmed
	mv	ra, s0
	ret

# The counters are unchanged, and a gather works.
unharmed:
	csrr	t0, shops
	sub	t0, t0, s1
	check	t0, 0
	sgather	t0, s5, s6, 2
	check	t0, 14
	lwu	t0, 0(s5)
	check	t0, 0x3f800000
	lwu	t0, 52(s5)
	check	t0, 0x41900000
	addi	s1, s1, 5
	ret

	.data
	.balign	8
network:
topology: .byte	0, 0
sizes:	.half	2, 2, 2
tables:	.word	3, 0
row_first: .word 0, 1, 3
	.balign	8
base0:	.dword	table0
shape:	.word	1, 3, 0, 5
col_first: .word 0, 0, 5
	.balign	8
base1:	.dword	table1
	.word	2, 1, 0, 2
	.word	0, 1, 2
	.balign	8
	.dword	table2
	.word	1, 1, 5, 1
	.word	0, 1, 1
	.balign	8
requests: .word	0, 0, 4, 0
request: .word	1, 0, 1, 0
	.balign	64
table0:	.float	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.balign	64
table1:	.float	17, 18, 19, 20
table2:	.byte	21
	.balign	8
dense:	.zero	64
