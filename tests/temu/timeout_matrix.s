# One instruction of a machine with a large scratchpad can take hours. --timeout also ends it, and it does not count as executed.
#
# RUN: printf 'scratchpad: {size: 1G}\n' > %t.yaml && %tasm -o %t.o %s && %tld --spm-size=0x40000000 -o %t %t.o
# RUN: sh -c 'prlimit --cpu=20 %temu --machine=%t.yaml --timeout=1 --stats %t; test $? = 124' 2>&1 | FileCheck %s
# CHECK: stopped after --timeout 1 seconds at 0x{{[0-9a-f]+}} <product>
# CHECK: instructions 2
	.globl _start
_start:
	li a0, 0x40000000
	li a1, 1 << 13
product:
	mm.f32 a0, a0, a0, a1, a1, a1
