# Native code is not left at the end of each slice, so that the jump there is never taken; but it ends when this is asked for: by the time
# limit, a signal, or a number of instructions, in a loop that accesses no memory.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# There are 1,500 slices of 2^18 instructions.
# RUN: case $(uname -m) in x86_64|aarch64) %temu --verbose %t 2>&1 | grep -E -x '.* in [0-9]{1,2} visits';; esac
# RUN: for tier in interp auto translate; do \
# RUN:     not %temu --tier=$tier --max-insns=12345678 --dump-state=%t.$tier %t 2> %t.errors || exit 1; cmp %t.interp %t.$tier || exit 1; \
# RUN: done
# RUN: %tasm -march=rv64gc --defsym ENDLESS=1 -o %t.o %s && %tld -o %t.endless %t.o
# RUN: not timeout --foreground --signal=TERM 1 %temu %t.endless 2>&1 | grep 'stopped by SIGTERM'
# RUN: not timeout --foreground --signal=USR1 1 %temu --timeout=2 %t.endless > %t.errors 2>&1
# RUN: grep -E ' s, [0-9]+ instructions' %t.errors && grep 'stopped after --timeout 2 seconds' %t.errors

	.globl	_start
_start:	li	a0, 200000000
1:	addi	a0, a0, -1
	.ifdef ENDLESS
	j	1b
	.endif
	bnez	a0, 1b
	li	a7, 93
	ecall
