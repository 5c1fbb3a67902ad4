# Floating-point data of all formats is rounded once, to nearest even.
# RUN: %tasm %s -o %t.o 2>&1 | FileCheck --check-prefix=WARN %s && %gobjdump -s -j .data %t.o | FileCheck %s

	.data
	.f16 1, -2.5, 65504, 6e-8, inf, -inf, 1.0009765625, 1.00048828125, 1.000488281250000000001
# CHECK: 0000 003c00c1 ff7b0100 007c00fc 013c003c
# CHECK: 0010 013c
	.balign 32
	.bf16 1, -2.5, 3.3e38, 1.00390625, 0x1.8p1
# CHECK: 0020 803f20c0 787f803f 4040
	.balign 16
	.e4m3 1, 448, -0.5, 0.001953125, nan, 1000
# WARN: floats.s:[[@LINE-1]]:40: warning: '1000' is too large for '.e4m3': it becomes NaN
# CHECK: 0030 387eb001 7f7f
	.balign 16
	.e5m2 1, 57344, -0.5, inf, 1e9
# WARN: floats.s:[[@LINE-1]]:29: warning: '1e9' is too large for '.e5m2': it becomes infinity
# CHECK: 0040 3c7bb87c 7c
	.balign 16
	.float 16777217, 0.1
	.double 0.1
# CHECK: 0050 0000804b cdcccc3d 9a999999 9999b93f
