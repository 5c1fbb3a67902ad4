# Where GNU as refuses a source, or reads it as something else, and this assembler does not.
# RUN: %tasm -march=rv64gc %s -o %t.o && %gobjdump -s -r -t -d %t.o | FileCheck %s
# RUN: not %gas -march=rv64gc %s -o %t.gas.o 2>/dev/null
# RUN: echo 'nop' | %tasm -g -march=rv64gc - -o %t.g.o && %greadelf --debug-dump=info,rawline %t.g.o | FileCheck %s --check-prefix=DWARF
# RUN: printf '.file 1 "a.c"\n.loc 1 1\nnop\n' | %tasm -march=rv64gc - -o %t.l.o && %greadelf --debug-dump=rawline %t.l.o | FileCheck %s --check-prefix=LINES

# A common symbol that is given twice has the larger size and the larger alignment.
# CHECK-DAG: 0000000000000010 O *COM* 0000000000000008 both
	.comm	both, 4, 8
	.comm	both, 16, 2

# Mapping symbols do not name the architecture.
# CHECK-NOT: $xrv64

	.text
# CHECK-LABEL: Contents of section .text:
# CHECK-NEXT: 0000 01000000
# Code after data: the difference is known, though the label stands after it.
	.word	after + 1 - after
after:
# The distance of two labels is an immediate.
# CHECK-SAME: 01000100 11050000
first:	nop
	nop
second:	addi	a0, a0, second - first
# The data leaves an odd address; zeros, then nops, pad to the alignment.
	.byte	0
	.balign	8
# CHECK: 0010

# CHECK-LABEL: Contents of section .data:
# CHECK-NEXT: 0000 01000040 4107
	.data
	.byte	x + 1 - x
	.float	0x1.8p3
	.ascii	"\a"
x:

# DWARF: Version: {{ *}}5
# DWARF-NOT: DW_TAG_subprogram
# DWARF: DW_AT_comp_dir {{.*}}: .
# LINES: DWARF Version: {{ *}}5
