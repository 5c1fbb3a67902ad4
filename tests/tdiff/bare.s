# Traces of the bare environment: text and json of one run are the same, with mode changes, an exception and an interrupt in them; an interrupt at
# another instruction is found, and --ignore=trap ignores it.
#
# RUN: %tasm -o %t.o %s && %tld -Ttext=0x80000000 -o %t %t.o
# RUN: %temu --trace=%t.text %t && %temu --trace=%t.json --trace-format=json %t
# RUN: grep -c 'priv=\|interrupt=\|trap=' %t.text | FileCheck %s --check-prefix=COUNT
# COUNT: 4
# RUN: %tdiff %t.text %t.json | count 0
# RUN: sed 's/interrupt=0x7/interrupt=0x3/' %t.text >%t.other && not %tdiff %t.other %t.json | FileCheck %s
# CHECK: trap: interrupt 3 in {{.*}}.other, interrupt 7 in {{.*}}.json
# RUN: %tdiff --ignore=trap %t.other %t.json | count 0
# RUN: sed 's/"csr":"priv","value":"0x0"/"csr":"priv","value":"0x3"/' %t.json >%t.mode && not %tdiff %t.text %t.mode | FileCheck %s --check-prefix=MODE
# MODE: CSR priv: 0x0 in {{.*}}.text, 0x3 in {{.*}}.mode
# RUN: sed 's/interrupt=0x7/interrupt=seven/' %t.text >%t.bad && not %tdiff %t.bad %t.json 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: .bad:{{[0-9]+:[0-9]+}}: error: {{.*}}0xNUMBER

	.globl	_start, tohost
_start:	la	t0, trap
	csrw	mtvec, t0
	li	t0, -1
	csrw	pmpaddr0, t0
	csrwi	pmpcfg0, 0x1f			# user mode may access all of memory
	li	t0, 0x80
	csrw	mie, t0				# the timer
	li	t1, 0x2004000			# mtimecmp
	li	t2, 24
	sd	t2, 0(t1)
	la	t0, user
	csrw	mepc, t0
	mret
user:	nop
	j	user

	.balign	4
trap:	csrr	t0, mcause
	bgez	t0, end				# no interrupt
	li	t2, -1
	sd	t2, 0(t1)
	la	t0, call
	csrw	mepc, t0
	mret
call:	ecall
end:	la	t0, tohost
	li	t1, 1
	sd	t1, 0(t0)
1:	j	1b

	.section .tohost, "aw"
	.balign	8
tohost:	.dword	0
	.size	tohost, 8
