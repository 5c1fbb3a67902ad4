# The machine at reset: a1 has no device tree; floating point and all entries of the PMP are off.
#
# RUN: %tasm -o %t.o %s && %tld -Ttext=0x80000000 -o %t %t.o && %temu %t

	.globl	_start, tohost
_start:	mv	s0, a1			# the device tree
	csrr	t0, mstatus
	srli	t0, t0, 13
	andi	t0, t0, 3		# FS
	or	s0, s0, t0
	csrr	t0, pmpcfg0
	or	s0, s0, t0
	csrr	t0, pmpcfg2
	or	s0, s0, t0
	csrr	t0, mhartid
	or	s0, s0, t0
	snez	s0, s0
	slli	s0, s0, 1
	ori	s0, s0, 1
	la	t1, tohost
	sd	s0, 0(t1)
1:	j	1b

	.balign	8
tohost:	.dword	0
