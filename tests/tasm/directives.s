# Directives that the other tests do not use give the same object as with GNU as.
# RUN: %tasm -I %S/Inputs %s -o %t.o
# RUN: %gas -I %S/Inputs -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

	.file "directives.c"
	.ident "a compiler"
	.ident "another"
	.option nopic
	.attribute stack_align, 16
	.attribute unaligned_access, 0
	.text
	.align 1
	.globl shown, guarded
	.protected shown
	.internal guarded
	.type shown, @function
	.type guarded, "function"
	.type thing, %object
	.type none, STT_NOTYPE
shown:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	.cfi_offset 1, -8
	.cfi_remember_state
	.cfi_restore_state
	.cfi_endproc
	.size shown, . - shown
guarded: ret
none:	nop
	.data
thing:	.incbin "bytes.bin"
	.incbin "bytes.bin", 7
	.incbin "bytes.bin", 7, 4
	.size thing, 4
	.uleb128 300
	.uleb128 0
	.uleb128 127
	.uleb128 128
	.uleb128 0xffffffffffffffff
	.sleb128 -300
	.sleb128 -64
	.sleb128 -65
	.sleb128 63
	.sleb128 64
later:	.include "three.inc"
	.comm shared, 24, 8
	.comm shared2, 5
	.local mine
	.comm mine, 12, 4
	.lcomm mine2, 3
	.equ five, 5
	.equiv six, five + 1
	.byte five, six
	.set alias, thing
	.globl alias
	.quad alias, thing + 4
	.org later + 64
	.text 2
	.word 2
	.text 0
	.word 0
	.subsection 1
	.word 1
	.previous
	.word 3
	.section .rodata
	.string "x"
	.pushsection .data
	.byte 0x77
	.pushsection .text
	nop
	.popsection
	.byte 0x78
	.popsection
	.string "y"
	.bss
	.zero 5
	.skip 3, 0
	.balign 16
	.space 1
	.section .mydata, "aw", @nobits
	.zero 7
	.section .empty.flags
	.byte 1
	.section "quoted name", "a"
"odd symbol":
	.byte 2
	.globl "odd symbol"
	.text
	.insn 0x00a5051b
	.insn 4, 0x00a5051b
	.end
	this is not read )(
