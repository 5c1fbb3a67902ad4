# --print with all types, shapes, and shortest decimals; --dump and --load move raw bytes.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: %temu --print bytes:i8 --print bytes:u8[2,2] --print bytes:u32 --print bytes:u16:hex --print words:i32[2][1][2] \
# RUN:   --print words:u64 --print singles:f32 --print singles:f32:hex --print doubles:f64 --print halves:f16 \
# RUN:   --print halves:bf16[2] --print eights:e4m3 --print eights:e5m2 %t | FileCheck %s --match-full-lines --strict-whitespace
#      CHECK:bytes:i8[4] = [-1, 0, 127, -128]
# CHECK-NEXT:bytes:u8[2,2] =
# CHECK-NEXT:{{\[\[}}255, 0],
# CHECK-NEXT: [127, 128{{\]\]}}
# CHECK-NEXT:bytes:u32 = 2155806975
# CHECK-NEXT:bytes:u16[2] = [0x00ff, 0x807f]
# CHECK-NEXT:words:i32[2,1,2] =
# CHECK-NEXT:{{\[\[\[}}-1, 2147483647{{\]\]}},
# CHECK-NEXT: {{\[\[}}-2147483648, 5{{\]\]\]}}
# CHECK-NEXT:words:u64[2] = [9223372036854775807, 23622320128]
# CHECK-NEXT:singles:f32[8] = [1, -0, 0.1, 3.4028235e+38, 1e-45, inf, nan, nan:0xffc00001]
# CHECK-NEXT:singles:f32[8] = [0x3f800000, 0x80000000, 0x3dcccccd, 0x7f7fffff, 0x00000001, 0x7f800000, 0x7fc00000, 0xffc00001]
# CHECK-NEXT:doubles:f64[3] = [0.1, 1e+300, 5e-324]
# CHECK-NEXT:halves:f16[4] = [1, 0.1, 65504, 6e-08]
# CHECK-NEXT:halves:bf16[2] = [0.0078, 5.23e-11]
# CHECK-NEXT:eights:e4m3[4] = [1, 448, nan:0xff, 0.002]
# CHECK-NEXT:eights:e5m2[4] = [0.5, nan, nan:0xff, 2e-05]
# Hexadecimal floats, and tables: columns as wide as the widest element, 16 elements in a line, empty lines between blocks.
# RUN: %temu --print singles:f32:hexfloat --print halves:e5m2:hexfloat --print ramp:f32:table --print 'ramp:i8[1,2,18]:table:hex' \
# RUN:   --print 'ramp:u8[2,2,2]:table' --print words:i32[2,2]:table --print words:i32:table:hex --print words:u8[1]:table %t >%t.out
# RUN: FileCheck %s --check-prefix=TABLE --match-full-lines --strict-whitespace <%t.out
#      TABLE:singles:f32[8] = [0x1p+0, -0x0p+0, 0x1.99999ap-4, 0x1.fffffep+127, 0x1p-149, inf, nan, nan:0xffc00001]
# TABLE-NEXT:halves:e5m2[8] = [0x0p+0, 0x1p+0, 0x1.8p+10, 0x1.8p-4, nan:0xff, 0x1.cp+15, 0x1p-16, 0x0p+0]
# TABLE-NEXT:ramp:f32[18] =
# TABLE-NEXT:[   0,    1,    2,    3,    4,    5,    6,    7,    8,    9,   10,   11,   12,   13,   14,   15,
# TABLE-NEXT:   16, -0.5]
# TABLE-NEXT:ramp:i8[1,2,18] =
# TABLE-NEXT:{{\[\[\[}}0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x40, 0x40,
# TABLE-NEXT:   0x00, 0x00],
# TABLE-NEXT:  {{\[}}0x80, 0x40, 0x00, 0x00, 0xa0, 0x40, 0x00, 0x00, 0xc0, 0x40, 0x00, 0x00, 0xe0, 0x40, 0x00, 0x00,
# TABLE-NEXT:   0x00, 0x41{{\]\]\]}}
# TABLE-NEXT:ramp:u8[2,2,2] =
# TABLE-NEXT:{{\[\[\[}}  0,   0],
# TABLE-NEXT:  {{\[}}  0,   0{{\]\]}},
# TABLE-EMPTY:
# TABLE-NEXT: {{\[\[}}  0,   0],
# TABLE-NEXT:  {{\[}}128,  63{{\]\]\]}}
# TABLE-NEXT:words:i32[2,2] =
# TABLE-NEXT:{{\[\[}}         -1,  2147483647],
# TABLE-NEXT: {{\[}}-2147483648,           5{{\]\]}}
# TABLE-NEXT:words:i32[4] =
# TABLE-NEXT:[0xffffffff, 0x7fffffff, 0x80000000, 0x00000005]
# TABLE-NEXT:words:u8[1] =
# TABLE-NEXT:[255]
# All 8- and 16-bit values, and many wider ones, are compared with exact fractions.
# RUN: %python %S/Inputs/print_exact.py %build %t.exact | FileCheck %s --check-prefix=EXACT
# EXACT: {{^[1-9][0-9][0-9][0-9][0-9][0-9]}} elements are right
#
# RUN: %temu --dump bytes:4=%t.bytes --dump words=%t.words %t
# RUN: sh -c 'test $(wc -c <%t.words) = 16'
# RUN: %temu --load halves=%t.words --print halves:i32[2] %t | FileCheck %s --check-prefix=LOAD
# LOAD: halves:i32[2] = [-1, 2147483647]
# Symbols may have an offset, as in traces.
# RUN: %temu --print words+4:i32 --print words+0x8:i32[1] --dump words+12:4=%t.word %t | FileCheck %s --check-prefix=OFFSET
#      OFFSET: words+4:i32[3] = [2147483647, -2147483648, 5]
# OFFSET-NEXT: words+0x8:i32[1] = [-2147483648]
# RUN: sh -c 'test $(wc -c <%t.word) = 4'
# RUN: not %temu --print words+x:i32 %t 2>&1 | FileCheck %s --check-prefix=NO-OFFSET
# NO-OFFSET: error: 'words+x' is neither a symbol of the program nor an address
# Mistakes are reported before the program runs.
# RUN: not %temu --print bites:i8 --print bytes:i9 --print bytes:i8[0] --print bytes --print bytes:i8[4 --print bytes:i8:hexfloat \
# RUN:   --print bytes:f16:hex:hexfloat --print bytes:f16[2]:hxe --print bytes:f16: --print bytes:f16[2]hex --print bytes:f16[2,]:hex --dump bytes=x \
# RUN:   --dump 64=x --dump nowhere:4=x --load bytes --print bytes:f64[99999999999] %t 2>&1 | FileCheck %s --check-prefix=BAD
# BAD: 'bites' is neither a symbol of the program nor an address; did you mean 'bytes'
# BAD: --print=bytes:i9: unknown type 'i9' (did you mean {{.*}}); expected one of: f32 f16 bf16 e4m3 e5m2 i8 i32 f64 i16
# BAD: --print=bytes:i8[0]: '[0]' is not a shape; expected [2,3]
# BAD: --print=bytes: expected SYMBOL:TYPE[DIMENSIONS]
# BAD: --print=bytes:i8[4: '[4' is not a shape
# BAD: --print=bytes:i8:hexfloat: :hexfloat is for floats; :hex prints the bits of 'i8'
# BAD: --print=bytes:f16:hex:hexfloat: found ':hexfloat'; expected the end, or :value, :hex or :hexfloat, and :table{{$}}
# BAD: --print=bytes:f16[2]:hxe: found ':hxe'; expected the end, or :value, :hex or :hexfloat, and :table; did you mean ':hex'?
# BAD: --print=bytes:f16:: found ':'; expected the end, or :value, :hex or :hexfloat, and :table{{$}}
# BAD: --print=bytes:f16[2]hex: found 'hex'; expected the end, or :value, :hex or :hexfloat, and :table; did you mean ':hex'?
# BAD: --print=bytes:f16[2,]:hex: '[2,]' is not a shape; expected [2,3]
# BAD: --print=bytes:f64[99999999999]: the array is larger than the address space
# BAD: --dump=64=x: the length is unknown; write 64:LENGTH=FILE
# BAD: 'nowhere' is neither a symbol of the program nor an address
# BAD: --load=bytes: expected SYMBOL-or-ADDRESS=FILE
# A file that is longer than the symbol is loaded with a warning.
# RUN: printf 123456789 >%t.nine && %temu --load words+12=%t.nine --print words+12:i8 %t 2>&1 | FileCheck %s --check-prefix=LONGER
# LONGER: temu: warning: --load=words+12={{.*}}.nine: found 9 bytes, but the symbol has 4; the others replace what follows it
# RUN: printf 1234 >%t.four && %temu --load words+12=%t.four %t 2>&1 | not grep warning
# Parsing ends with the argument, whatever follows it in memory.
# RUN: mkdir -p %t.folder && cp %t %t.folder/:hex && cd %t.folder && not %temu '--print=bytes:i8[4' :hex 2>&1 | FileCheck %s --check-prefix=OPEN
# OPEN: --print=bytes:i8[4: '[4' is not a shape
# RUN: not %temu --dump 64:8=%t.x %t 2>&1 | FileCheck %s --check-prefix=UNMAPPED
# UNMAPPED: temu: error: --dump: 0x8 bytes at 0x40 are not all mapped
# RUN: not %temu --dump bytes:4=/dev/full %t 2>&1 | FileCheck %s --check-prefix=FULL
# FULL: /dev/full: error: cannot write: No space left on device
# RUN: not %temu --load bytes=%t.nothing %t 2>&1 | FileCheck %s --check-prefix=ABSENT
# ABSENT: print.s.tmp.nothing: error: cannot read
# RUN: sh -c '%temu --print bytes:i8 %t >/dev/full; test $? = 1' 2>&1 | FileCheck %s --check-prefix=STDOUT
# STDOUT: <stdout>: error: cannot write: No space left on device

	.option norelax
	.globl _start
_start:
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 8
	.macro object name
	.type \name, @object
	.size \name, 1f - \name
\name:
	.endm
	object bytes
	.byte -1, 0, 127, -128
1:	.balign 8
	object words
	.word -1, 0x7fffffff, 0x80000000, 5
1:	.balign 8
	object singles
	.word 0x3f800000, 0x80000000, 0x3dcccccd, 0x7f7fffff, 1, 0x7f800000, 0x7fc00000, 0xffc00001
1:	object doubles
	.dword 0x3fb999999999999a, 0x7e37e43c8800759c, 1
1:	object halves
	.half 0x3c00, 0x2e66, 0x7bff, 1
1:	object eights
	.byte 0x38, 0x7e, 0xff, 1
1:	object ramp
	.float 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, -0.5
1:
