# When bytes of a page change from which native code was made, the native code of other pages stays, and what led to the page leads to new code: calls, branches across the
# end of a page, jumps to addresses in registers, and loops over two pages.
#
# RUN: %tasm -march=rv64gc -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp translate optimize auto; do %temu --tier=$tier --print='sums:u64[4]' %t > %t.$tier || exit 1; done
# RUN: cmp %t.interp %t.translate && cmp %t.interp %t.optimize && cmp %t.interp %t.auto
#
# The code that stays has 3,000 instructions, and pages change 48 times.
# RUN: for tier in translate auto; do \
# RUN:     %temu --tier=$tier --verbose %t 2>&1 > %t.out | sed 's/.*made \([0-9]*\) instr.*/\1/' > %t.made && test "$(cat %t.made)" -lt 20000 || exit 1; \
# RUN: done
#
# The run stops exactly after changes, too.
# RUN: for count in $(seq 3000001 %soak{111111|37777} 4000000); do \
# RUN:     for tier in interp translate auto; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier.state %t 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp.state %t.translate.state && cmp %t.interp.state %t.auto.state || exit 1; \
# RUN: done
	.option	norelax
	.option	norvc
	.equ	pages, 8
	.equ	rounds, 400	# between two changes

	.section .writable, "awx", @progbits
	.globl	_start
_start:	la	s0, sums
	la	s1, changed
	li	s3, 48
	li	s6, 4096
1:	li	s4, rounds
2:	call	stay
	li	s5, pages
	mv	s7, s1
	jal	changed		# of the first page
	add	s8, s8, a0
3:	jalr	s7		# of all
	add	s8, s8, a0
	add	s7, s7, s6
	addi	s5, s5, -1
	bnez	s5, 3b
	jal	last
	add	s9, s9, a0
	addi	s4, s4, -1
	bnez	s4, 2b
	sd	s8, 0(s0)
	sd	s9, 8(s0)
	sd	s10, 16(s0)
	# The next page gets another instruction.
	addi	s3, s3, -1
	andi	t0, s3, pages - 1
	mul	t0, t0, s6
	add	t0, t0, s1
	lw	t1, 0(t0)
	li	t2, 1 << 20
	add	t1, t1, t2
	sw	t1, 0(t0)
	sw	t1, 24(t0)
	bnez	s3, 1b
	li	a0, 0
	li	a7, 93
	ecall
	.balign	8


	.balign	4096
stay:
	.rept	1000
	addi	s10, s10, 1
	beqz	s10, 9f
	xor	s10, s10, s4
	.endr
9:	ret

	# A loop from one page to the next one, whose end changes with that.
	.balign	4096
	.zero	4096 - 20
last:	li	a0, 0
	li	t0, 5
4:	ld	t1, 0(s0)
	xor	a0, a0, t1
	addi	t0, t0, -1
changed:
	.rept	pages
	li	a0, 3
	bnez	t0, 5f
	ret
	ebreak
5:	addi	t0, t0, -1
	mv	t3, a0
	li	a0, 3
	add	a0, a0, t3
	bnez	t0, 6f
	ret
6:	addi	a0, a0, 1
	li	t0, 0
	ret
	.balign	4096
	.endr

	.bss
	.balign	4096
sums:	.zero	32
