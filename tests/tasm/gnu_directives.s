# Directives of GNU as that compilers seldom emit: contents, symbols and relocations are the same.
# RUN: %tasm -march=rv64gc %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# Features outside the generic ABI set the OS/ABI of the object to GNU's, as in GNU as.
# RUN: for object in %t.o %t.gas.o; do %greadelf -h $object | grep -q 'OS/ABI: *UNIX - GNU' || exit 1; done
# RUN: echo nop | %tasm -o %t.plain.o - && %greadelf -h %t.plain.o | grep 'OS/ABI: *UNIX - System V'

	.text
f:	nop
	.type f, @function
	.data
	.dc 1, 2
	.dc.b 1, -2
	.dc.w 3
	.dc.l 4
	.dc.a 5
	.dc.a x
	.dc.s 1.5
	.dc.d 2.5
	.ds 3
	.ds.b 3, 5
	.ds.w 3
	.ds.l 2
	.ds.s 1
	.ds.d 1
	.dcb 2, 3
	.dcb.b 3, 7
	.dcb.w 2, 0x1234
	.dcb.l 2, 0x12345678
	.dcb.s 2, 1.5
	.dcb.d 2, -2.5
	.string8 "ab"
	.string16 "ab", "\377"
	.string32 "a"
	.string64 "a"
	.string "a" "b", "c"
	.octa 0x123456789abcdef0fedcba9876543210, 5, -1, 1 + 2
	.octa -0x123456789abcdef0fedcba9876543210
	.octa 0xffffffffffffffffffffffffffffffff, 170141183460469231731687303715884105728
	.rep 2
	.byte 9
	.endr
	.extern x, y
	.xref z
	.xdef exported
exported:
	.lsym five, 5
	.word five
	.type unique, @gnu_unique_object
unique:	.word 1
	.size unique, 4
	.eqv .Llater, base + 1
	.set base, 2
	.word .Llater
	.set base, 3
	.word .Llater, .Llater * 2
	.eqv .Lhere, .
	.word 1
	.quad .Lhere
	.quad .Lhere
	.Lsame == base
	.word .Lsame
	.set base, 4
	.word .Lsame
	.set base, 3

	.bss
	.ds.l 3
	.octa 0
	.section .text.g,"axG",@progbits,g,comdat
g:	nop
	.section .rodata.g,"a?"
	.word 1
	.section .text.h,"axG",@progbits,h
	nop
	.section .text.k,"axG",@progbits,k,comdat
	nop
	.section .numbers,"0x2"
	.word 1
	.section .number_type,"a",@0x7fffffff
	.word 1
	.section .retained,"awR"
	.word 1

	.text
	.ifdef .text.g
	.word 1
	.endif
	.ifdef .nowhere
	.word 2
	.endif
	.ifdef a0
	.word 3
	.endif
	.ifndef exported
	.word 4
	.elseif 1
	.word 5
	.endif
	.ifnotdef nothing
	.word 6
	.endif
