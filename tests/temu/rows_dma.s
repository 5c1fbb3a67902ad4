# A tile of a large scratchpad has up to 2^30 rows. --timeout ends such a transfer, which then does not count as executed. A trace lists at most
# 2^20 rows individually.
#
# RUN: printf 'scratchpad: {size: 1G}\n' > %t.yaml && %tasm -o %t.o %s && %tld --spm-size=0x40000000 -o %t %t.o
# RUN: sh -c 'prlimit --cpu=20 %temu --machine=%t.yaml --timeout=3 --stats %t; test $? = 124' 2>&1 | FileCheck %s
# CHECK: stopped after --timeout 3 seconds at 0x{{[0-9a-f]+}} <endless>
# CHECK: instructions 14
# RUN: sh -c 'prlimit --cpu=20 %temu --machine=%t.yaml --max-insns=14 --trace=%t.trace %t; test $? = 125'
# RUN: cut -c1-300 %t.trace | FileCheck --check-prefix=TRACE %s
# Without gaps, 2^20 + 1 rows are one range. With gaps they are one range from the first byte to the last, for positive and negative strides; the
# bytes are all 7, so the digests are equal.
# TRACE: dma.st2 {{.*}} read[0x40000000+0x100001] write[0x[[#%x,BUFFER:]]+0x100001]#[[DIGEST:[0-9a-f]+]]
# TRACE: dma.st2 {{.*}} read[0x40000000+0x100001] write[0x[[#BUFFER]]+0x200001]#[[DIGEST]]
# TRACE: dma.st2 {{.*}} read[0x40000000+0x100001] write[0x[[#BUFFER]]+0x200001]#[[DIGEST]]
# TRACE: dma.ld2 {{.*}} read[0x[[#BUFFER]]+0x1] write[0x40000000+0x100001]
# TRACE-NOT: dma.ld2
	.globl _start
_start:
	li a0, 0x40000000
	la a1, buffer
	li a2, 0x100001
	dma.st2 a0, a1, a2, 1, 1
	li a3, 2
	dma.st2 a0, a1, a2, 1, a3
	li a3, -2
	li a4, 0x200000
	add a4, a4, a1
	dma.st2 a0, a4, a2, 1, a3
	dma.ld2 a0, a1, a2, 1, 0
	slli a2, a2, 9
endless:
	dma.ld2 a0, a1, a2, 1, 0
	.bss
buffer:	.zero 0x200001
