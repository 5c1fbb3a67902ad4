# Lines that are executed straight from the source, between lines that are almost like them and are parsed. The object must be GNU as's.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# Strings as long as the buffer that they are encoded in, with and without an escape at its end.
# RUN: %python -c "[print(f'.{kind} \"{chr(65) * count}{end}\"') for kind in ('ascii', 'string') for count in range(508, 515) for end in ('', chr(92) + 'n', chr(92) + '101b')]" > %t.long.s
# RUN: %tasm %t.long.s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %t.long.s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# A string before a `;`, and expressions that use the memory after its bytes.
# RUN: %python -c "[print(f'.data; .ascii {chr(34)}{chr(65) * count}{chr(92)}011{chr(34)}; .equ sum, 010' + '+010' * 30) for count in range(400)]" > %t.short.s
# RUN: %tasm %t.short.s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %t.short.s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: not %tasm --defsym BAD=1 %s -o %t.o 2>&1 | FileCheck %s
	.equ number, 5
	.equ place, second+4
	.macro .twice value
	.byte \value, \value
	.endm
	.text
first:	addi	a0,a0,1
	addi	a0,a0,1
	addi	a0,a0,1 # the same
	addi a0,a0,1; addi a0,a0,1
	addi	a0,a0,1
1:	addi	a0,a0,1
	.word	0x12345678
	.balign 4
	addi	a0,a0,1
	.data
second:
third:	.byte	1, -1 , 0xff,255
fourth: fifth: .half 2
	.word	1,2,number
	.word	number
	.set	moving, 1
	.word	moving
	.set	moving, 2
	.word	moving
	.quad	second
	.quad	second # a comment
	.quad	second+8
	.quad	place
	.quad	undefined
	.quad	later, later
	.quad	.
	.8byte	a0
	.4byte	first
	.dword 1b
	.dword	0x123456789abcdef0
	.dword	18446744073709551615
	.byte	010, 0b11, 'a'
	.BYTE	7
	.twice	3
	.uleb128 0
	.uleb128 127
	.uleb128 128
	.uleb128 0xffffffffffffffff
	.sleb128 -1
	.sleb128 64
	.sleb128 -65
	.string	"a string"
	.string	"quotes \" and \\ and \n", "\101\x42"
	.ascii	"not # a ; comment"	# a comment
	.ascii	"two" "pieces"
	.ascii	"\b\f\r\t\0", "\1234\377\7", "\x1\X0041\xfg", "\\", "\303\244\n"
	.asciz	""
	.double	1.5, -2.5
	.float	-0.0
	.rept 3
	.byte	1
	.quad	second
	.endr
	.if 0
left_out: .byte 9
	.endif
	.balign 8
later:
	.byte	0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50
# Directives that are parsed where they stand.
	.section	.text.one,"axG",@progbits,one,comdat
	.align	1
	.weak	one
	.type	one, @function
one:	.cfi_startproc
	addi	sp,sp,-16
	.cfi_def_cfa_offset 16
	.cfi_offset 1, -8 # a comment
	call	two
	.cfi_offset	8,-16	
	.cfi_restore 1; .cfi_restore 8
	.cfi_def_cfa_offset 0 /* a comment */
	ret
	.cfi_endproc
	.size	one, .-one
	.section	.rodata.text,"aMS",@progbits,1 # "quoted"
	.string	"a"
	.pushsection	.data.more,"aw"
	.quad	one-first, one+1, second-third
	.popsection
	.type	one, "function"
	.TYPE	two, @function
	.globl	two,three
	.set	four, one
	.data
	.bss
space:	.byte	0
	.quad	0
	.ifdef BAD
	.data
# CHECK: [[#@LINE+1]]:1: error: symbol 'second' is already defined
second:
# CHECK: [[#@LINE+1]]:8: error: 256 does not fit in '.byte'
	.byte	256
# CHECK: [[#@LINE+1]]:2: error: '.type' needs 2 arguments, found 1
	.type	second
# CHECK: [[#@LINE+1]]:8: error: argument 1 of '.size': expected the name of a symbol
	.size	5, 6
# CHECK: [[#@LINE+1]]:14: error: '.type' needs 2 arguments, found 1
alone:       .type	alone
# CHECK: [[#@LINE+1]]:2: error: '.cfi_offset' without a '.cfi_startproc' before it in section '.data'
	.cfi_offset 1, 2   	
	.quad	sum
# CHECK: [[#@LINE+1]]:12: error: cannot add
	.equ sum, undefined+second
# CHECK: [[#@LINE+1]]:8: error: the address of 'second' cannot be stored in 1 byte
	.byte	second
	.endif
