# HTIF: console, proxied calls, exits; and commands that are none.
#
# RUN: %tasm -I %S/Inputs -o %t.o %s && %tld -T %S/Inputs/bare.ld -o %t %t.o
# RUN: sh -c 'printf "xy" | %temu %t; test $? = 42' | FileCheck %s --match-full-lines
# CHECK: ab
# CHECK-NEXT: proxied
# CHECK-NEXT: xy
# RUN: sh -c 'printf "xy" | %temu --trace=%t.trace %t; test $? = 42' | FileCheck %s --match-full-lines
# The store to tohost is one effect, before what answers it.
# RUN: FileCheck %s --check-prefix=TRACE < %t.trace
# TRACE: sd t1,0(s1) {{.*}}| store8[0x[[TOHOST:[0-9a-f]+]]]={{[^ ]+ [^ ]+}} write[0x[[TOHOST]]+0x8]#{{[0-9a-f]+$}}
#
# An exit status that is too large for the host does not become success. The system call takes a status as exit(3) does.
# RUN: %tasm -I %S/Inputs --defsym COMMAND=0x201 -o %t.256.o %s && %tld -T %S/Inputs/bare.ld -o %t.256 %t.256.o
# RUN: sh -c '%temu %t.256; test $? = 255'
# RUN: %tasm -I %S/Inputs --defsym COMMAND=1 -o %t.0.o %s && %tld -T %S/Inputs/bare.ld -o %t.0 %t.0.o && %temu %t.0
#
# RUN: %tasm -I %S/Inputs --defsym COMMAND=2 -o %t.2.o %s && %tld -T %S/Inputs/bare.ld -o %t.2 %t.2.o
# RUN: sh -c '%temu %t.2; test $? = 1' 2>&1 | FileCheck %s --check-prefix=TWO
# TWO: 0x2 in tohost is not a command (an exit status is written as status << 1 | 1); stopped at 0x{{[0-9a-f]+}}
# RUN: %tasm -I %S/Inputs --defsym COMMAND=0x87fffff8 -o %t.edge.o %s && %tld -T %S/Inputs/bare.ld -o %t.edge %t.edge.o
# RUN: sh -c '%temu %t.edge; test $? = 1' 2>&1 | FileCheck %s --check-prefix=EDGE
# EDGE: 0x87fffff8 in tohost is not a command
# RUN: %tasm -I %S/Inputs --defsym COMMAND=0x0200000000000000 -o %t.disk.o %s && %tld -T %S/Inputs/bare.ld -o %t.disk %t.disk.o
# RUN: sh -c '%temu %t.disk; test $? = 1' 2>&1 | FileCheck %s --check-prefix=DISK
# DISK: 0x200000000000000 in tohost is not a command
#
# RUN: %tasm -I %S/Inputs --defsym BAD_CALL=1 -o %t.bad.o %s && %tld -T %S/Inputs/bare.ld -o %t.bad %t.bad.o && %temu %t.bad

	.include "bare.inc"

	.macro	command register
	sd	\register, 0(s1)
	ld	t0, 0(s1)
	check	t0, 0				# the command is done
	.endm

	.text
test:	mv	s0, ra
	la	s1, tohost
	la	s2, fromhost
	.ifdef	COMMAND
	li	t0, COMMAND
	sd	t0, 0(s1)
	.endif
	.ifdef	BAD_CALL
	# An unknown call, file or address: the errors of Linux.
	la	s3, block
	li	t0, 1000
	sd	t0, 0(s3)
	command	s3
	ld	t0, 0(s3)
	check	t0, -38
	li	t0, 64
	sd	t0, 0(s3)
	li	t0, 9
	sd	t0, 8(s3)
	command	s3
	ld	t0, 0(s3)
	check	t0, -9
	li	t0, 64
	sd	t0, 0(s3)
	li	t0, 1
	sd	t0, 8(s3)
	li	t0, 0x87ffffff
	sd	t0, 16(s3)
	li	t0, 2
	sd	t0, 24(s3)
	command	s3
	ld	t0, 0(s3)
	check	t0, -14
	ret
	.endif

	# The console.
	li	s4, 0x0101000000000000
	ori	t1, s4, 'a'
	command	t1
	ori	t1, s4, 'b'
	command	t1
	ori	t1, s4, '\n'
	command	t1

	# write(1, text, 8): its result, and that the command is done.
	la	s3, block
	sd	zero, 0(s2)
	command	s3
	ld	t0, 0(s3)
	check	t0, 8
	ld	t0, 0(s2)
	check	t0, 1

	# Two characters are read and written, then the input ends.
	li	s5, 0x0100000000000000
	command	s5
	ld	t0, 0(s2)
	check	t0, 0x0100000000000100 | 'x'
	andi	t0, t0, 0xff
	or	t1, s4, t0
	command	t1
	command	s5
	lbu	t0, 0(s2)
	or	t1, s4, t0
	command	t1
	ori	t1, s4, '\n'
	command	t1
	command	s5
	ld	t0, 0(s2)
	check	t0, 0x01000000000000ff

	# An atomic instruction cannot access tohost; a store of a byte can.
	la	s8, 1f
	amoswap.d t0, zero, (s1)
	j	fail
1:	check	s7, 7
	sb	zero, 0(s1)

	# exit(42)
	li	t0, 93
	sd	t0, 0(s3)
	li	t0, 42
	sd	t0, 8(s3)
	sd	s3, 0(s1)
	j	fail

	.data
	.balign	8
block:	.dword	64, 1, text, 8, 0, 0, 0, 0
text:	.ascii	"proxied\n"
