# --stats on standard error: counts by class and by instruction, and memory traffic, equal in both runs.
#
# RUN: %gas -march=rv64g -o %t.o %s && %gld -o %t %t.o
# RUN: %temu --stats %t 2>%t.1 && %temu --stats --trace=/dev/null %t 2>%t.2 && cmp %t.1 %t.2
# RUN: FileCheck %s --match-full-lines <%t.1
# RUN: sh -c '%temu --stats %t 2>/dev/full; test $? = 1'
# To a file in JSON: one object on one line, with the same numbers.
# RUN: %temu --stats=%t.text %t 2>&1 | count 0
# RUN: cmp %t.text %t.1
# RUN: %temu --stats=%t.json --stats-format=json %t 2>&1 | count 0
# RUN: %temu --stats --stats-format=json %t 2>&1 | cmp - %t.json
# RUN: %temu --stats --stats-format=text %t 2>&1 | cmp - %t.1
# RUN: count 1 <%t.json
# RUN: %python %S/Inputs/stats_text.py %t.text %t.json | FileCheck %s --check-prefix=SAME
# SAME: {{^[2-9][0-9]|[1-9][0-9][0-9]}} numbers are the same in both{{$}}
# RUN: not %temu --stats=/dev/full %t 2>&1 | FileCheck %s --check-prefix=DEVICE
# DEVICE: /dev/full: error: cannot write: No space left on device
# RUN: not %temu --stats=%t.none/file %t 2>&1 | FileCheck %s --check-prefix=NOWHERE
# NOWHERE: stats.s.tmp.none/file: error:
# RUN: not %temu --stats-format=json %t 2>&1 | FileCheck %s --check-prefix=ALONE
# ALONE: temu: error: found --stats-format without --stats; add --stats or --stats=FILE
# RUN: not %temu --stats --stats-format=xml %t 2>&1 | FileCheck %s --check-prefix=FORMAT
# FORMAT: temu: error: --stats-format=xml: no such format; expected text or json
# The counters of the tensor units are compared with counts that are made outside of temu.
# RUN: %python %S/Inputs/stats_units.py %build %t.units | FileCheck %s --check-prefix=UNITS
# UNITS: {{^[1-9][0-9][0-9]+}} numbers agree
#
# CHECK: instructions 57
# CHECK-NEXT: by class
# CHECK-NEXT: integer 25 43.86%
# CHECK-NEXT: load 10 17.54%
# CHECK-NEXT: store 10 17.54%
# CHECK-NEXT: branch 10 17.54%
# CHECK-NEXT: system 2 3.51%
# CHECK-NEXT: by instruction
# CHECK-NEXT: addi 24 42.11%
# CHECK-NEXT: bne 10 17.54%
# CHECK-NEXT: lw 10 17.54%
# CHECK-NEXT: sd 10 17.54%
# CHECK-NEXT: auipc 1 1.75%
# CHECK-NEXT: ecall 1 1.75%
# CHECK-NEXT: fence 1 1.75%
# CHECK-NEXT: memory
# CHECK-NEXT: loads 10
# CHECK-NEXT: bytes loaded 40
# CHECK-NEXT: stores 10
# CHECK-NEXT: bytes stored 80
# CHECK-NEXT: range bytes read 0
# CHECK-NEXT: range bytes written 0
# CHECK-NEXT: bytes by class memory read memory written scratchpad read scratchpad written
# CHECK-NEXT: load 40 0 0 0
# CHECK-NEXT: store 0 80 0 0
# CHECK-NEXT: tensor units
# CHECK: matrix: multiply-adds 0
# CHECK: histogram: {{.*}} 0
	.option norelax
	.globl _start
_start:
	la s0, data
	li s1, 10
1:	lw t0, 4(s0)
	sd t0, 8(s0)
	addi t0, t0, 1
	addi s1, s1, -1
	bnez s1, 1b
	fence
	li a0, 0
	li a7, 93
	ecall
	.data
	.balign 16
data:	.zero 16
