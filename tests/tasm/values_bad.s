# Errors that are found only at the end of the source: values that do not fit, addresses that no relocation can express.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

.option norvc
li a0, undefd
# CHECK-DAG: [[@LINE-1]]:8: error: operand 'imm' of 'li': expected 12-bit signed immediate (-2048..2047), found the address of the undefined symbol 'undefd'; use 'la', %pcrel_lo(…), %lo(…), %tprel_lo(…)
addi a0, a0, later
# CHECK-DAG: [[@LINE-1]]:14: error: operand 'imm' of 'addi': expected 12-bit signed immediate (-2048..2047), found 5000
.set later, 5000
.word foo + bar
# CHECK-DAG: [[@LINE-1]]:7: error: cannot add 'foo' and 'bar': the sum of two addresses is not an address
.byte foo
# CHECK-DAG: [[@LINE-1]]:7: error: the address of 'foo' cannot be stored in 1 byte: expected 4 or 8
.word -foo
# CHECK-DAG: [[@LINE-1]]:7: error: the negative of an address ('foo') cannot be stored: no relocation computes it
.word foo * 2
# CHECK-DAG: [[@LINE-1]]:7: error: an operand of '*' must be a number; it depends on symbol 'foo'
addi a0, a0, x
# CHECK-DAG: [[@LINE-1]]:1: error: an instruction at the odd address 0x15 of section '.text'; align the code after data with '.balign 4'
# CHECK-DAG: [[@LINE-2]]:14: error: operand 'imm' of 'addi': expected 12-bit signed immediate (-2048..2047), found the address of symbol 'x'; use 'la', %pcrel_lo(…), %lo(…), %tprel_lo(…)
near: .space 1100000
j near
# CHECK-DAG: [[@LINE-1]]:1: error: an instruction at the odd address 0x10c8f9 of section '.text'; align the code after data with '.balign 4'
# CHECK-DAG: [[@LINE-2]]:3: error: 'j' cannot reach: the distance is -1100000, expected -1048576..1048574, a multiple of 2
x: nop
.half late2
# CHECK-DAG: [[@LINE-1]]:7: error: 70000 does not fit in 2 bytes
.set late2, 70000
.data
.word somewhere + 0x100000000
# CHECK-DAG: [[@LINE-1]]:7: error: 4294967296 does not fit in 4 bytes
.word somewhere - 0x100000001
# CHECK-DAG: [[@LINE-1]]:7: error: -4294967297 does not fit in 4 bytes
.word somewhere + 0xffffffff, somewhere - 0x100000000
.byte x2 - x1 + 300
# CHECK-DAG: [[@LINE-1]]:7: error: 300 does not fit in 1 byte
.section .text.sums, "ax"
x1: nop
x2:
.text
lw a0, %pcrel_lo(4)(a0)
# CHECK-DAG: [[@LINE-1]]:1: error: an instruction at the odd address 0x10c903 of section '.text'; align the code after data with '.balign 4'
# CHECK-DAG: [[@LINE-2]]:18: error: '%pcrel_lo' needs the label of the instruction with the high part
lw a0, %lo(x - undefd)(a0)
# CHECK-DAG: [[@LINE-1]]:12: error: '%lo' needs an address or a number; found a difference with 'undefd'
lui a0, %hi(0x123456789)
# CHECK-DAG: [[@LINE-1]]:13: error: 4886718345 has no high part of 20 bits
j x+1
# CHECK-DAG: [[@LINE-1]]:3: error: 'j' cannot reach: the distance is -17, expected -1048576..1048574, a multiple of 2
.word 1/(x-x)
# CHECK-DAG: [[@LINE-1]]:9: error: division by zero
.word 5 % 0
# CHECK-DAG: [[@LINE-1]]:11: error: division by zero
.byte %lo(x)
# CHECK-DAG: [[@LINE-1]]:7: error: '%lo' can only be a whole operand of an instruction
