# A scalar of mms that is not NaN-boxed counts as the canonical NaN, in every float type.
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --print 'boxed:f32[2]' --print 'unboxed:u32[2]:hex' --print 'narrow:u16[2]:hex' %t | FileCheck %s
# CHECK: boxed:f32[2] = [2, 4]
# CHECK: unboxed:u32[2] = [0x7fc00000, 0x7fc00000]
# CHECK: narrow:u16[2] = [0x7e00, 0x7e00]

	.globl	_start, boxed, unboxed, narrow
_start:	la	a0, boxed
	la	a1, unboxed
	la	a2, narrow
	la	t0, scalars
	fld	fa0, 0(t0)
	fld	fa1, 8(t0)
	la	a3, in
	la	a4, in16
	mms.f32	a0, a3, 2, fa0
	mms.f32	a1, a3, 2, fa1
	mms.f16	a2, a4, 2, fa1
	li	a0, 0
	li	a7, 93
	ecall

	.section .rodata
	.balign	8
scalars: .dword	0xffffffff40000000, 0x40000000
	.section .spm.data, "aw"
	.balign	4
in:	.float	1, 2
in16:	.f16	1, 2
boxed:	.zero	8
unboxed: .zero	8
narrow:	.zero	4
