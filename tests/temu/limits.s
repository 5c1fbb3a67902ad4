# --max-insns stops after exactly N instructions, --timeout after a time. Both report the place, and each has its own exit status.
#
# RUN: %gas -march=rv64g -g -o %t.o %s && %gld -o %t %t.o
# RUN: sh -c '%temu --max-insns=1000 --print count:u64 %t; test $? = 125' 2>&1 | FileCheck %s
# RUN: sh -c '%temu --max-insns=1001 --print count:u64 %t; test $? = 125' 2>&1 | FileCheck %s --check-prefix=MORE
# RUN: sh -c '%temu --max-insns=1001 --stats --print count:u64 %t; test $? = 125' 2>&1 | FileCheck %s --check-prefixes=MORE,STATS
# RUN: sh -c '%temu --timeout 1 %t; test $? = 124' 2>&1 | FileCheck %s --check-prefix=TIME
# RUN: sh -c '%temu --timeout 1 --stats %t; test $? = 124' 2>&1 | FileCheck %s --check-prefix=TIME
#
# CHECK-DAG: limits.s.tmp: stopped after --max-insns 1000 instructions at 0x{{[0-9a-f]+}} <loop{{(\+0x[0-9a-f]+)?}}> at {{.*}}limits.s:{{[0-9]+}}
# 1000 = 2 + 4 * 249 + 2: the store of the 250th round is not reached
# CHECK-DAG: count:u64 = 249
# MORE-DAG: count:u64 = 250
# STATS-DAG: instructions 1001
# TIME: stopped after --timeout 1 seconds at 0x{{[0-9a-f]+}} <loop

	.option norelax
	.globl _start
_start:
	la s0, count
	.globl loop
loop:
	ld t0, 0(s0)
	addi t0, t0, 1
	sd t0, 0(s0)
	j loop
	.data
	.globl count
count:	.dword 0
