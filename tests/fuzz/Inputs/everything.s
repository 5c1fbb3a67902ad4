# A seed for tests/fuzz: as many directives and kinds of operands as possible, so that damage reaches all of the assembler.
	.file "everything.c"
	.option push
	.option norelax
	.option pop
	.attribute stack_align, 16
	.equ SIZE, 4 * (3 + 1) - (1 << 2) | 1
	.set twice, SIZE * 2
small = twice / 3 % 5
	.macro pair first, second=t1, rest:vararg
	.ifnb \rest
	addi \first, \second, \rest
	.else
	mv \first, \second
	.endif
label\@:	beqz \first, label\@
	.endm
	.macro count from, to
	.byte \from
	.if \to - \from
	count "(\from + 1)", \to
	.else
	.exitm
	.endif
	.endm
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	la a0, words
	lla a1, text
	li a2, 0x123456789abcdef0
	li a3, SIZE
	lui a4, %hi(words)
	addi a4, a4, %lo(words)
	lw a5, %lo(words+4)(a4)
1:	auipc t0, %pcrel_hi(words)
	ld t1, %pcrel_lo(1b)(t0)
	pair t2, t3, 12
	pair t4
	call function
	bgt a0, a1, 2f
	bltu a0, a1, 1b
	fadd.s fa0, fa1, fa2, rtz
	fcvt.w.d a0, fa0
	csrrw zero, fcsr, a0
	csrr a1, cycle
	fence rw, w
	amo = 5
2:	jal ra, function
	lw a0, words
	sw a0, words, t0
	mmv.f32 a0, 4, a1, a2, 4
	mms.i8 a0, a1, 100, t0
	mcvt.e4m3.i32 a0, a1, 7
	mm.f32 a0, a1, a2, 2, 2, 3
	dma.ld a0, a1, 64
	f32v4hist f4:f7, f8:f11
	tset.step 0, 1, 24
	tprologue 1, 0, 4, 16
	titer a0, 0
	tflw fa0, 0
	.rept 3
	nop
	.endr
	.irp reg, a0, a1, a2
	addi \reg, \reg, 1
	.endr
	.irpc digit, 123
	.byte \digit
	.endr
	.align 2
	.insn 4, 0x00000013
	.size _start, . - _start
	.cfi_endproc
	.weak function
	.p2align 3,,7
function:
	ret
	.if SIZE == 13
	.elseif SIZE > 3 && !(SIZE & 2)
	.else
	.endif
	.ifdef words
	.endif
	.ifc a, b
	.error "never"
	.endif
	.data
	.balign 8
words:	.word 1, -2, 0x3, 'a, words, 2f - 1b
	.dword function, function - _start
	.half 1, 2
	.quad words + 8
	count 1, 4
	.float 1.5, -inf, nan
	.double 1e-300, 0x1p3
	.f16 1.0, 65504
	.bf16 3.5
	.e4m3 448, 1
	.e5m2 0.25
2:	.uleb128 300, 2b - words
	.sleb128 -300
text:	.ascii "a\tb\\\"\101\x41"
	.asciz "end", "two"
	.string "one"
	.fill 3, 2, 7
	.zero 5
	.space 3, 0xff
	.skip 2
	.org text + 64
	.section .rodata.str1.1, "aMS", @progbits, 1
	.string "merged"
	.section .bss.x, "aw", @nobits
	.space 100
	.pushsection .spm.data, "aw"
	.float 0
	.popsection
	.previous
	.subsection 1
	.lcomm local, 8
	.comm common, 16, 8
	.local hidden
	.hidden words
	.ident "seed"
	.section .group, "axG", @progbits, key, comdat
	nop

	# .insn, references, lazy values, .altmacro
	.text
	.insn r CUSTOM_0, 1, 2, a0, a1, fa2
	.insn r4 MADD, 1, 2, a0, a1, a2, a3
	.insn i LOAD, 1, a0, %lo(insn_data)(a1)
	.insn s STORE, 1, a0, 4(a1)
	.insn sb BRANCH, 1, a0, a1, insn_here
	.insn uj JAL, a0, insn_here
	.insn u LUI, a0, %hi(insn_data)
	.insn ci C1, 3, a0, -4
	.insn cb C1, 6, a0, insn_here
	.insn 8, 0x3f
	.weakref insn_weak, insn_missing
	.option push
	.option pic
insn_here: la a0, insn_weak + 4
	.option pop
	la.tls.ie a0, insn_tls
1$:	beqz a0, 1$
	.reloc insn_here + 2, R_RISCV_NONE, insn_data + 4
	.nop
	.section .insn.data,"awG",@progbits,insn_group,comdat
insn_data: .dtprelword insn_tls
	.octa 0x123456789abcdef0123456789abcdef0, -1
	.string16 "wide", "r"
	.dcb.l 2, 0x12345678
	.ds.w 3, 1
	.dc.a "insn_data" + 8
	.eqv insn_lazy, insn_base * 2 + (. - .)
	.set insn_base, 3
	.word insn_lazy, insn_lazy + 1
	.balignw 4, 0x1122
	.altmacro
	.macro insn_m x, y=<1,2>
	LOCAL here
here:	.word x&1, y, \x&&3
	.ascii "x&y"
	.endm
	insn_m %(1+2*3), <4!>5>
	insn_m 7
	.irp v, <1,2>, %3
	.word v
	.endr
	.noaltmacro
	.print "done"
	.end
