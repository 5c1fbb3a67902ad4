# A session without an operating system: machine-level CSRs and the PMP by name, the mode, a trap that the program handles,
# an interrupt.
#
# RUN: %gas -g -march=rv64gc -o %t.o %s && %tld -Ttext=0x80000000 -o %t %t.o
# RUN: %python %tools/gdb_session.py %s %t -- %temu --env=bare >%t.out
# RUN: FileCheck %s <%t.out
#
# GDB: print $priv
# CHECK: $1 = 3
# GDB: break {line call}
# GDB: continue
# CHECK: Breakpoint 1, call
# GDB: print/x $mtvec - (long)&handler
# CHECK: $2 = 0x0
# GDB: print/x {$pmpaddr0, $pmpcfg0, $mscratch}
# CHECK: $3 = {0x3fffffffffffff, 0x1f, 0x1234}
# GDB: set $mscratch = 0x77
# GDB: stepi
# The program handles the trap: gdb steps over it.
# GDB: print/x {$mcause, $mepc - (long)$pc, $mscratch}
# CHECK: = {0xb, 0x0, 0x77}
# GDB: print $mscratch
# CHECK: = 119
# GDB: break interrupted
# GDB: continue
# CHECK: Breakpoint 2, interrupted
# GDB: print/x {$mcause, $mip, $priv}
# CHECK: = {0x8000000000000007, 0x80, 0x3}
# GDB: break user
# GDB: continue
# CHECK: Breakpoint 3, user
# GDB: print $priv
# CHECK: = 0
# GDB: set $priv = 2
# CHECK: Could not write register "priv"
# GDB: kill

	.option norvc
	.globl	_start
_start:	la	t0, handler
	csrw	mtvec, t0
	li	t0, -1
	csrw	pmpaddr0, t0
	csrwi	pmpcfg0, 0x1f
	li	t0, 0x1234
	csrw	mscratch, t0
call:	ecall	# call
handled: la	t0, user
	csrw	mepc, t0
	li	t0, 0x1800
	csrc	mstatus, t0
	li	t0, 0x2004000
	csrr	t1, time
	addi	t1, t1, 50
	sd	t1, 0(t0)
	li	t0, 0x80
	csrw	mie, t0
	mret
user:	nop
	nop
	j	user
	.balign	4
handler: csrr	t0, mcause
	bltz	t0, interrupted
	csrr	t0, mepc
	addi	t0, t0, 4
	csrw	mepc, t0
	li	t0, 0x1800
	csrs	mstatus, t0
	mret
interrupted:
	csrw	mie, zero
	mret
