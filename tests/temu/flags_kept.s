# An instruction that raises a flag leaves the flags that were raised before, also in native code that only has the common case, where NX is set.
#
# RUN: %tasm -march=rv64gc_zfa -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp translate optimize auto; do sh -c "%temu --tier=$tier %t; test \$? = 29" || exit 1; done
	.globl	_start
_start:	fli.d	fa0, 65536.0
	fmul.d	fa0, fa0, fa0		# 2^32 is out of range
	li	s0, 300
	li	s1, 29			# NV, DZ, OF and NX
1:	fsflagsi 13			# DZ, OF and NX
	fcvtmod.w.d a1, fa0, rtz	# NV
	frflags	a0
	bne	a0, s1, 2f
	addi	s0, s0, -1
	bnez	s0, 1b
2:	li	a7, 93
	ecall
