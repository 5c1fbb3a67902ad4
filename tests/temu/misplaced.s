# An option of temu after the program goes to the program. A note says so on a terminal, and where a run ends with a report; a normal end elsewhere has none.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: sh -c '%temu %t --stats=x; test $? = 3' 2>&1 | count 0
# RUN: script -qec '%temu %t a --stats=x' %t.typed > %t.out; FileCheck %s --input-file=%t.typed --check-prefix=NOTE
# NOTE: temu: note: '--stats' after the program went to the program; an option of temu goes before it (if this is meant, write `--` before the program)
# RUN: not %temu --max-insns=1 %t --max-insns 2>&1 | FileCheck %s --check-prefix=LIMIT
# LIMIT: stopped after --max-insns 1 instructions
# LIMIT-NEXT: temu: note: '--max-insns' after the program
#
# RUN: not %temu --max-insns=1 -- %t --stats 2>&1 | FileCheck %s --implicit-check-not=note
# RUN: not %temu --max-insns=1 %t -- --stats 2>&1 | FileCheck %s --implicit-check-not=note
# RUN: not %temu --max-insns=1 %t --statistics -stats stats -- 2>&1 | FileCheck %s --implicit-check-not=note
# CHECK: stopped after --max-insns 1 instructions
	.globl _start
_start:
	li a0, 3
	li a7, 93
	ecall
