# Standard streams that fail: the program gets Linux's errors, a closed pipe ends it by SIGPIPE, and a trace that cannot be written is an error of temu.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: sh -c '%temu %t >/dev/full; test $? = 228'
# RUN: sh -c '%temu %t >&-; test $? = 247'
# temu's own files never get the descriptor of a closed stream.
# RUN: sh -c '%temu --trace=%t.trace %t 2>/dev/null >&-; test $? = 247' && FileCheck %s --check-prefix=CLOSED <%t.trace
# CLOSED: {{^}}# tensor-trace
# CLOSED-NOT: xxx
# RUN: sh -c '%temu --print line:u8[2] %t >&-; test $? = 1' 2>&1 | FileCheck %s --check-prefix=NOWHERE
# NOWHERE: <stdout>: error: cannot write: Bad file descriptor
# RUN: sh -c '(%temu %t 2>%t.err; echo $? >%t.status) | true; test $(cat %t.status) = 141'
# RUN: FileCheck %s <%t.err
# CHECK: ended by SIGPIPE: it wrote to a closed pipe
# RUN: sh -c '%temu --trace=/dev/full %t >/dev/null; test $? = 1' 2>&1 | FileCheck %s --check-prefix=TRACE
# TRACE: /dev/full: error: cannot write{{.*}}: No space left on device
# RUN: sh -c '%temu --trace=%t.none/x %t; test $? = 1' 2>&1 | FileCheck %s --check-prefix=ABSENT
# ABSENT: error: cannot write{{.*}}: No such file or directory
	.option norelax
	.globl _start
_start:
	# writes until it fails or 4000 lines are out; exits with the result
	li s0, 4000
1:	li a0, 1
	la a1, line
	li a2, 64
	li a7, 64
	ecall
	bltz a0, 2f
	addi s0, s0, -1
	bnez s0, 1b
	li a0, 0
2:	li a7, 93
	ecall
	.data
line:	.fill 63, 1, 'x'
	.ascii "\n"
