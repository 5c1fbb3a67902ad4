# Each kind of memory access by a tensor unit once, each after its own label.
	.option norelax
	.globl	_start, a, b, c, main, descriptor
_start:	la	a0, c
	la	a1, a
	la	a2, b
	la	a3, main
	la	a4, descriptor
	li	a5, 32
	.globl	at_product, at_vector, at_scale, at_convert, at_load, at_store, at_load_tile, at_store_tile, at_nest
at_product:
	mm.f32	a0, a1, a2, 2, 2, 2
at_vector:
	mmv.f32	a0, 2, a1, a2, 2
at_scale:
	mms.f32	a1, a2, 4, fa0
at_convert:
	mcvt.bf16.f32	a2, a1, 4
at_load:
	dma.ld	a0, a3, 16
at_store:
	dma.st	a1, a3, 12
at_load_tile:
	dma.ld2	a2, a3, 2, 8, a5
at_store_tile:
	dma.st2	a0, a3, 2, 8, a5
at_nest:
	tnest	1, a4
	tbase	0, a1
	tset.step 0, 0, 4
	tset.end 0, 0, 16
	tinit	0
	.globl	at_element, at_element_float, at_element_store, at_element_float_store
at_element:
	tlw	t0, 0
at_element_float:
	tflw	ft0, 0
at_element_store:
	tsw	a3, 0
at_element_float_store:
	tfsw	ft0, 0
	li	a0, 0
	li	a7, 93
	ecall
	.data
	.balign	8
main:	.zero	64
descriptor:
	.word	1, 0
	.byte	0, 1
	.half	4
	.word	1
	.dword	main, 0, 4, 1
	.section .spm, "aw"
	.balign	8
a:	.float	1, 2, 3, 4
b:	.float	5, 6, 7, 8
c:	.zero	16
