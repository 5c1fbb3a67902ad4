# Each cause of a fault ends the program as under Linux, with a report of place and cause.
#
# RUN: %gas -march=rv64gc -g -o %t.o %s && %gld -o %t %t.o
# RUN: not %temu %t 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: faults.s.tmp: breakpoint (cause 3, address 0x{{[0-9a-f]+}}): SIGTRAP
# NONE: instruction  00100073  ebreak
# Control characters in a symbol's name are not printed as such.
# RUN: printf '.globl _start\n_start: nop\n"red\\033[31m\\n": ebreak\n' > %t.name.s && %tasm -o %t.name.o %t.name.s && %tld -o %t.name %t.name.o
# RUN: not %temu %t.name 2>&1 | FileCheck %s --check-prefix=NAME
# NAME: pc 0x{{[0-9a-f]+}} <red^{{\[\[}}31m^J>
#
# RUN: sh -c '%temu %t 1; test $? = 139' 2>&1 | FileCheck %s --check-prefix=LOAD --match-full-lines
# LOAD: temu: {{.*}}faults.s.tmp: load access fault (cause 5, address 0x8: the null page): SIGSEGV
# LOAD-NEXT:  pc           0x{{[0-9a-f]+}} <bad_load> at {{.*}}faults.s:[[#BAD_LOAD:]]
# LOAD-NEXT:  instruction  0082b283  ld t0,8(t0)
# LOAD-NEXT:  registers    t0 0x0
# LOAD-NEXT:  backtrace
# LOAD-NEXT:    #0  0x{{[0-9a-f]+}} <bad_load> at {{.*}}faults.s:[[#BAD_LOAD]]
# LOAD-NEXT:    #1  0x{{[0-9a-f]+}} <middle+0x28> at {{.*}}faults.s:{{[0-9]+}}
# LOAD-NEXT:    #2  0x{{[0-9a-f]+}} <_start+0x{{[0-9a-f]+}}> at {{.*}}faults.s:{{[0-9]+}}
#
# RUN: sh -c '%temu %t 1 2; test $? = 139' 2>&1 | FileCheck %s --check-prefix=STORE
# STORE: store access fault (cause 7, address 0x{{[0-9a-f]+}}: read-only code): SIGSEGV
# STORE: instruction  0062b023  sd t1,0(t0)
# STORE: registers    t1 0x5  t0 0x
#
# RUN: sh -c '%temu %t 1 2 3; test $? = 132' 2>&1 | FileCheck %s --check-prefix=ILLEGAL
# ILLEGAL: illegal instruction (cause 2): SIGILL
# ILLEGAL: pc {{.*}} <bad_word>
# ILLEGAL: instruction  0000  unimp
#
# RUN: sh -c '%temu %t 1 2 3 4; test $? = 139' 2>&1 | FileCheck %s --check-prefix=FETCH
# FETCH: instruction fetch fault (cause 1, address 0xdeadbeec: not mapped): SIGSEGV
# FETCH-NEXT: pc           0xdeadbeec
# FETCH-NEXT: backtrace
# FETCH: #1 {{.*}} <bad_jump+0x
# Looking for code there does not map the page.
# RUN: printf '.globl _start\n_start: j _start + 0x10000\n' > %t.away.s && %tasm -o %t.away.o %t.away.s && %tld -o %t.away %t.away.o
# RUN: for tier in interp auto translate; do %temu --tier=$tier %t.away || true; done 2>&1 | FileCheck %s --check-prefix=AWAY
# AWAY-COUNT-3: not mapped): SIGSEGV
#
# RUN: sh -c '%temu %t 1 2 3 4 5; test $? = 132' 2>&1 | FileCheck %s --check-prefix=ROUNDING
# ROUNDING: illegal instruction (cause 2): SIGILL
# ROUNDING: instruction  003170d3  fadd.s ft1,ft2,ft3
#
# RUN: sh -c '%temu %t 1 2 3 4 5 6; test $? = 132' 2>&1 | FileCheck %s --check-prefix=CSR
# CSR: illegal instruction (cause 2): SIGILL
# CSR: instruction  {{[0-9a-f]+}}  {{csrw|fscsr|csrrw|csrwi|csrrwi|unimp}}
#
# RUN: sh -c '%temu %t 1 2 3 4 5 6 7; test $? = 139' 2>&1 | FileCheck %s --check-prefix=TEXT
# TEXT: instruction fetch fault (cause 1, address 0x{{[0-9a-f]+}}: not executable): SIGSEGV
#
# RUN: sh -c '%temu %t 1 2 3 4 5 6 7 8; test $? = 139' 2>&1 | FileCheck %s --check-prefix=EDGE
# EDGE: load access fault (cause 5, address 0x100000000: not mapped): SIGSEGV
#
# RUN: sh -c '%temu %t 1 2 3 4 5 6 7 8 9; test $? = 132' 2>&1 | FileCheck %s --check-prefix=MIDDLE
# MIDDLE: illegal instruction (cause 2): SIGILL
# MIDDLE: pc {{.*}} <_start+0x2>
# MIDDLE: instruction 0000 unimp
# The trace also shows the fault, and the registers before it.
# RUN: sh -c '%temu --trace %t 1; test $? = 139' 2>&1 | FileCheck %s --check-prefix=TRACE
# TRACE: <bad_load> {{.*}} ld t0,8(t0) {{.*}}trap=5:0x8

	.option norvc
	.option norelax
	.globl _start
_start:
	li s0, 0
	ld s1, 0(sp)
	addi sp, sp, -16
	addi s0, sp, 16
	jal middle
	ebreak

middle:
	addi sp, sp, -16
	sd ra, 8(sp)
	sd s0, 0(sp)
	addi s0, sp, 16
	la t0, table
	slli t1, s1, 3
	add t0, t0, t1
	ld t0, -8(t0)
	jalr t0
	ebreak

	.section .rodata
table:
	.dword plain, load_entry, bad_store, bad_word, bad_jump, bad_rounding, bad_csr, bad_text, bad_edge, middle_of_one

	.text
plain:
	ebreak
load_entry:
	li t0, 0
	.globl bad_load
bad_load:
	ld t0, 8(t0)
bad_store:
	la t0, _start
	li t1, 5
	sd t1, 0(t0)
bad_word:
	.word 0
bad_jump:
	li t0, 0xdeadbeec
	jalr t0
	ebreak
bad_rounding:
	csrwi frm, 5
	fadd.s ft1, ft2, ft3
bad_csr:
	csrwi cycle, 1
bad_text:
	la t0, data
	jr t0
bad_edge:
	li t0, 0xffffffff
	sb zero, -16(sp)
	lw t0, 1(t0)

middle_of_one:
	la t0, _start
	addi t0, t0, 2
	jr t0

	.data
data:
	nop
