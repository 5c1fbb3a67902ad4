# Errors that are found only when all addresses are known.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	nop
	.data
	.byte 1
	.balignl 8, 0x11223344
# CHECK-DAG: [[@LINE-1]]:2: error: the padding here has 7 bytes, which is not a multiple of the fill's 4
	.byte 1
	.p2alignw 2, 0x1122
# CHECK-DAG: [[@LINE-1]]:2: error: the padding here has 3 bytes, which is not a multiple of the fill's 2
