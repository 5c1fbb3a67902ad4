# The threads of a barrel in gdb: their list, registers of each, breakpoints that one of them meets, steps of one thread while
# the others run or are held, waits, and the end of a worker.
#
# RUN: %tasm -g -o %t.o %s && %tld -o %t %t.o && printf 'barrel:\n  workers: 3\n' >%t.yaml
# RUN: %python %tools/gdb_session.py %s %t -- %temu --machine %t.yaml | FileCheck %s
#
# Idle workers are not listed.
# GDB: info threads
# CHECK: {{^}}* 1    Thread 1 (sup: runs) _start ()
# CHECK-NEXT: Breakpoint 1 at
#
# After trunall, the next turn is that of worker 2.
# GDB: break {line add}
# GDB: continue
# CHECK: [Switching to Thread 4]
# CHECK: Thread 2 hit Breakpoint 1, loop ()
# GDB: continue
# CHECK: [Switching to Thread 2]
# CHECK: Thread 3 hit Breakpoint 1, loop ()
# GDB: delete
# GDB: info threads
# CHECK: {{^}}  1    Thread 1 (sup: waits for a slot) _start ()
# CHECK-NEXT: {{^}}  2    Thread 4 (w2: runs)  loop ()
# CHECK-NEXT: {{^}}* 3    Thread 2 (w0: runs)  loop ()
# CHECK-NEXT: {{^}}  4    Thread 3 (w1: runs)  loop ()
# GDB: thread apply 1 3 4 print {(long)$a0 - (long)&words, $a1, $t0}
# CHECK: Thread 1 (
# CHECK-NEXT: = {0, 0, 0}
# CHECK: Thread 2 (
# CHECK-NEXT: = {0, 0, 0}
# CHECK: Thread 3 (
# CHECK-NEXT: = {8, 1, 0}
#
# Steps of one thread while the others are held, and while they run.
# GDB: set scheduler-locking on
# GDB: stepi
# GDB: stepi
# GDB: stepi
# GDB: thread apply 2 3 4 print $t0
# CHECK: Thread 4 (
# CHECK-NEXT: = 1
# CHECK: Thread 2 (
# CHECK-NEXT: = 1
# CHECK: Thread 3 (
# CHECK-NEXT: = 0
# GDB: set scheduler-locking off
# GDB: stepi
# GDB: stepi
# GDB: stepi
# GDB: thread apply 2 3 4 print $t0
# CHECK: Thread 4 (
# CHECK-NEXT: = 2
# CHECK: Thread 2 (
# CHECK-NEXT: = 2
# CHECK: Thread 3 (
# CHECK-NEXT: = 1
#
# A register of another thread.
# GDB: thread 2
# GDB: set $t0 = 990
# GDB: thread 3
# GDB: set $t0 = 980
#
# A breakpoint at a wait: the thread arrives when it steps over the breakpoint, and then the others go on to theirs.
# GDB: break {line meet}
# GDB: continue
# CHECK: [Switching to Thread 4]
# CHECK: hit Breakpoint 2, meet ()
# GDB: continue
# CHECK: [Switching to Thread 2]
# CHECK: hit Breakpoint 2, meet ()
# GDB: info threads
# CHECK: Thread 4 (w2: waits at the barrier (tbar)) meet ()
# CHECK-NEXT: {{^}}* 3    Thread 2 (w0: runs)
# GDB: stepi
# CHECK: [Switching to Thread 3]
# CHECK: hit Breakpoint 2, meet ()
#
# With the others held, a thread that waits does not go on.
# GDB: set scheduler-locking on
# GDB: thread 2
# GDB: stepi
# GDB: stepi
# GDB: print (long)$pc - (long)&meet
# CHECK: = 0
# GDB: set scheduler-locking off
# GDB: delete
#
# The end of a worker in a step. It is listed until the program goes on.
# GDB: break {line end}
# GDB: continue
# CHECK: hit Breakpoint 3
# GDB: stepi
# GDB: info threads
# CHECK: (w{{[12]}}: is idle)
# GDB: delete
# GDB: break {line sync}
# GDB: continue
# CHECK: Thread 1 hit Breakpoint 4, _start ()
# GDB: info threads
# CHECK: Id
# CHECK-NEXT: {{^}}* 1    Thread 1 (sup: runs)
# CHECK-NEXT: Thread 4 (w2: runs)
# CHECK-NEXT: Thread 2 (w0: runs)
# CHECK-NEXT: Hardware watchpoint 5
#
# The supervisor waits; a watchpoint tells which worker stores.
# GDB: watch *(long*)((char*)&words + 24)
# GDB: continue
# CHECK: Thread 3 hit Hardware watchpoint 5
# CHECK: New value = 7
# GDB: info threads
# CHECK: Thread 1 (sup: waits for the workers (tsync))
# CHECK-NEXT: {{^}}* 3    Thread 2 (w0: runs)
# GDB: delete
# GDB: continue
# CHECK: exited with code 06
	.globl _start
_start:
	la a0, words
	la a3, work
	trunall a3, a0, 8
	tsync				# sync
	ld a0, 24(a0)
	addi a0, a0, -1
	li a7, 93
	ecall
work:
	li t0, 0
loop:
	addi t0, t0, 1			# add
	li t1, 1000
	blt t0, t1, loop
meet:
	tbar				# meet
	beqz a1, 1f
	texit t0			# end
1:	li t2, 100
2:	addi t2, t2, -1
	bnez t2, 2b
	li t3, 7
	sd t3, 24(a0)
	texit t3
	.data
	.balign 8
words:	.dword 0, 0, 0, 0
