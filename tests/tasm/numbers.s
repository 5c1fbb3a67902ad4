# Lists of plain numbers, which are stored without being parsed, and lists that begin like them: the same object as GNU as makes.
# RUN: %tasm -march=rv64gc %s -o %t.o && %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: not %tasm --defsym WRONG=1 %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
	.text
	nop
	.word	1
	.data
	.byte	0, 1,255 ,-1, -128, 0xff, 0XfF, -0x80
	.half	65535, -32768,0xffff
	.word	4294967295,-2147483648 , 0xffffffff , 0
	.dword	-1, 0xffffffffffffffff, 0x8000000000000000, 999999999999999999, -999999999999999999, 9223372036854775807
label:	.word	1, 2
	.2byte	1 ; .4byte 2 ; .8byte 3
# Octal numbers, suffixes, characters, expressions, names, local labels.
	.word	010, 1u, 2UL, 'a', (1), 1+1, label, 1f, 1f - label, ~1, - 1, 07
1:	.byte	0b101, 1, 0
	.word	1, 2, . - label
# Floating-point numbers, of which some are left to the parser.
	.double	1.5,-2.25 , .5, -0.0, 0, 0.1e-3, 1e300, 12345678901234567890123.5, +1, -5e-324, 2.
	.float	1, -1.5e-3,0.1, 16777215
	.float	inf, nan, -3
	.double	1e5,2E+5
# Numbers of LEB128 are bytes at once, so distances across them are known.
from:	.uleb128 127 ; .uleb128 128; .uleb128 0xffffffffffffffff; .uleb128 ~0 ; .uleb128 1 + 299
	.sleb128 -1; .sleb128 63 ; .sleb128 64; .sleb128 -64 ; .sleb128 -65; .sleb128 0x7fffffffffffffff
to:	.if	to - from == 43
	.byte	to - from
	.endif
	.bss
	.byte	0, 0
	.section .zeros, "aw", @nobits
	.word	0
	.ifdef WRONG
	.data
	.byte	256
# CHECK: :[[@LINE-1]]:8: error: 256 does not fit in '.byte'; expected -128..255
	.half	1, 65536
# CHECK: :[[@LINE-1]]:11: error: 65536 does not fit in '.half'; expected -32768..65535
	.word	1,
# CHECK: :[[@LINE-1]]:10: error: argument 2 of '.word': expected an expression
	.bss
	.word	0, 1
# CHECK: :[[@LINE-1]]:11: error: section '.bss' has no contents
	.endif
