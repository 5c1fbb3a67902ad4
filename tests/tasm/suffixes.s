# Numbers with C's suffixes, and floating-point numbers that are given by their bits: the bytes are GNU as's.
# RUN: %tasm %s -o %t.o && %gas %s -o %t.gas.o
# RUN: %gobjcopy -O binary -j .data %t.o %t.bin && %gobjcopy -O binary -j .data %t.gas.o %t.gas.bin && cmp %t.bin %t.gas.bin
# RUN: not %tasm -defsym BAD=1 %s -o %t.bad 2>&1 | FileCheck %s

	.data
	.word 1L, 2UL, 3LL, 4U, 0x5UL, 0b11ULL, 010L, 1L + 2U
	.dword 0xffffffffffffffffULL, 18446744073709551615u, 3l << 40
1:	.word 1b - ., 7l
	.float 0f:3f800000, 0f:3f80, 0e:40490fdb
	.double 0d:3ff0000000000000, 0d:40
	.float16 0f:3c00
.ifdef BAD
	.word 1UU
# CHECK: [[@LINE-1]]:8: error: malformed number '1UU'
	.word 1LUL
# CHECK: [[@LINE-1]]:8: error: malformed number '1LUL'
	.float 0f:3f8000001
# CHECK: [[@LINE-1]]:9: error: found '0f:3f8000001', expected at most 8 hexadecimal digits after ':'
	.float 0f:zz
# CHECK: [[@LINE-1]]:9: error: found '0f:zz', expected at most 8 hexadecimal digits after ':'
	.float 0f:3f80000g
# CHECK: [[@LINE-1]]:9: error: found '0f:3f80000g', expected at most 8 hexadecimal digits after ':'
	.word 0f:3f
# CHECK: [[@LINE-1]]:8: error:
.endif
