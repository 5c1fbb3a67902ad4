# A session with a tensor kernel: break on a symbol and on a line, step over a tensor instruction, print the scratchpad, watch a
# variable, write registers and memory, print the state of the traversal unit.
#
# RUN: %gas -g -march=rv64g -o %t.gas.o --defsym LINES=1 %s
# RUN: %tasm -o %t.tasm.o %s
# RUN: %tld -o %t %t.gas.o %t.tasm.o
# RUN: %python %tools/gdb_session.py %s %t -- %temu >%t.out
# RUN: FileCheck %s <%t.out
# RUN: %python %tools/gdb_session.py --unix %t.socket %s %t -- %temu >%t.unix.out && cmp %t.out %t.unix.out
# RUN: not ls %t.socket
#
# GDB: break {line first}
# CHECK: Breakpoint 1 at {{0x[0-9a-f]+}}: file {{.*}}kernel.s, line [[#FIRST:]].
# GDB: break product
# CHECK: Breakpoint 2 at
# GDB: continue
# CHECK: Breakpoint 1, {{.*}}_start () at {{.*}}kernel.s:[[#FIRST]]
# CHECK-NEXT: [[#FIRST]]{{.*}}call product
# GDB: print/x (long)$sp & 15
# CHECK: $1 = 0x0
# GDB: continue
# CHECK: Breakpoint 2, {{.*}} in product ()
# GDB: backtrace
# CHECK: #0 {{.*}} in product ()
# CHECK: #1 {{.*}} in _start () at {{.*}}kernel.s:[[#FIRST]]
# GDB: print *(float(*)[4])&c
# CHECK: $2 = {0, 0, 0, 0}
# GDB: print/x (long)$pc - (long)&product
# CHECK: $3 = 0x0
# GDB: stepi
# GDB: print/x (long)$pc - (long)&product
# CHECK: $4 = 0x8
# GDB: print *(float(*)[4])&c
# CHECK: $5 = {7, 10, 15, 22}
# GDB: set var *(float*)&b = 0.5
# GDB: delete 2
# GDB: set $pc = &product
# GDB: stepi
# GDB: print *(float(*)[4])&c
# CHECK: $6 = {6.5, 10, 13.5, 22}
# GDB: finish
# CHECK: _start () at {{.*}}kernel.s:[[#FIRST+1]]
# GDB: watch *(long*)&count
# CHECK: Hardware watchpoint 3: *(long*)&count
# GDB: continue
# CHECK: Old value = 0
# CHECK-NEXT: New value = 5
# CHECK-NEXT: _start () at {{.*}}kernel.s:[[#FIRST+3]]
# GDB: delete 3
# GDB: rwatch *(float*)&c
# GDB: continue
# A whole row of a DMA transfer is one access.
# CHECK: Hardware read watchpoint 4: *(float*)&c
# CHECK: Value = 6.5
# GDB: delete 4
# GDB: awatch *(int*)&count
# GDB: continue
# CHECK: Hardware access (read/write) watchpoint 5: *(int*)&count
# CHECK: Value = 5
# GDB: delete 5
# GDB: print *(float(*)[4])&copy
# CHECK: = {6.5, 10, 13.5, 22}
# GDB: tbreak kernel.s:{line last}
# GDB: continue
# GDB: print {(long)$row2_base - (long)&copy, $row2_dims, $row2_dim0_step, $row2_dim0_repeat}
# CHECK: = {0, 1, 4, 0}
# GDB: set $row2_dim0_end = 8
# GDB: set $row2_dim0_step = 8
# CHECK: Could not write register "row2_dim0_step"
# GDB: print $row2_dim0_end
# CHECK: = 8
# GDB: print {$tlanes, $trows, $tdims}
# CHECK: = {16, 8, 8}
# GDB: set $fa0 = 1.5
# GDB: print $fa0
# CHECK: = {float = 0, double = 1.5}
# GDB: print $zero = 7
# GDB: print $zero
# CHECK: = 0
# GDB: set $a1 = 44
# GDB: continue
# CHECK: [Inferior 1 (Remote target) exited with code 054]
# CHECK: --- stdout
# CHECK-NEXT: --- stderr
# CHECK-NEXT: --- status 44
	.ifdef LINES
	.globl _start
_start:
	la s0, count
	la a0, c
	la a1, a
	la a2, b
	li a3, 2
	la a4, copy
	call product		# first
	li a1, 5
	sd a1, 0(s0)
	call save
	ld a5, 0(s0)
	call rows
	mv a0, a1		# last
	li a7, 93
	ecall
	.data
	.balign 8
count:	.dword 0
	.else
	.globl product, save, rows, a, b, c, copy
product:
	mm.f32 a0, a1, a2, 2, a3, 2
	ret
save:
	dma.st a0, a4, 16
	ret
rows:
	li a5, 2
	tclear 2
	tbase 2, a4
	tset.step 2, 0, 4
	ret
	.section .spm, "aw"
	.balign 4
a:	.float 1, 2, 3, 4
b:	.float 1, 2, 3, 4
c:	.zero 16
	.bss
	.balign 8
copy:	.zero 16
	.endif
