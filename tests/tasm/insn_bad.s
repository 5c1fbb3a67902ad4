# Each message about .insn names what was expected.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

	.insn r 0x13
# CHECK: [[@LINE-1]]:14: error: '.insn r': expected at least 6 operands (.insn r opcode, funct3, funct7, rd, rs1, rs2), found 1
	.insn r
# CHECK: [[@LINE-1]]:9: error: '.insn r': expected at least 6 operands (.insn r opcode, funct3, funct7, rd, rs1, rs2), found 0
	.insn q OP, 1
# CHECK: [[@LINE-1]]:8: error: unknown format 'q' of '.insn'; known: b ca cb ci ciw cj cl cr cs css i j r r4 s sb u uj
	.insn r OPP, 1, 2, a0, a1, a2
# CHECK: [[@LINE-1]]:10: error: operand 1 of '.insn r': unknown opcode 'OPP'; did you mean 'OP'?; expected major opcode of 4-byte instructions (a name such as LOAD, or a number), found symbol 'OPP'
	.insn r 0x32, 1, 2, a0, a1, a2
# CHECK: [[@LINE-1]]:10: error: operand 1 of '.insn r': expected major opcode of 4-byte instructions (a name such as LOAD, or a number), found 50
	.insn r 0x1f, 1, 2, a0, a1, a2
# CHECK: [[@LINE-1]]:10: error: operand 1 of '.insn r': expected major opcode of 4-byte instructions (a name such as LOAD, or a number), found 31
	.insn r OP, 8, 2, a0, a1, a2
# CHECK: [[@LINE-1]]:14: error: operand 2 of '.insn r': expected 3-bit field (0..7), found 8
	.insn r OP, 1, 128, a0, a1, a2
# CHECK: [[@LINE-1]]:17: error: operand 3 of '.insn r': expected 7-bit field (0..127) or 2-bit field (0..3), found 128
	.insn r OP, 1, 2, a0, a1, 3
# CHECK: [[@LINE-1]]:28: error: operand 6 of '.insn r': expected register, found 3
	.insn r4 MADD, 1, 4, a0, a1, a2, a3
# CHECK: [[@LINE-1]]:20: error: operand 3 of '.insn r4': expected 2-bit field (0..3), found 4
	.insn i LOAD, 1, a0, 4(fa1)
# CHECK: [[@LINE-1]]:24: error: operand 5 of '.insn i': expected scalar register, found '(fa1)'
	.insn i LOAD, 1, a0, 2048(a1)
# CHECK: [[@LINE-1]]:23: error: operand 4 of '.insn i': expected register or 12-bit signed offset (-2048..2047) or '(', found 2048
	.insn s STORE, 1, a0, a1
# CHECK: [[@LINE-1]]:24: error: operand 4 of '.insn s': expected 12-bit signed offset (-2048..2047) or '(', found register 'a1'
	.insn sb BRANCH, 1, a0, a1
# CHECK: [[@LINE-1]]:28: error: '.insn sb': expected 5 operands (.insn sb opcode, funct3, rs1, rs2, imm), found 4
	.insn u LUI, a0, -1
# CHECK: [[@LINE-1]]:19: error: operand 3 of '.insn u': expected 20-bit upper immediate (0..1048575), found -1
	.insn cr C3, 9, a0, a1
# CHECK: [[@LINE-1]]:11: error: operand 1 of '.insn cr': unknown opcode 'C3'; did you mean 'C0', 'C1' or 'C2'?; expected quadrant of 2-byte instructions (a name such as C0, or a number), found symbol 'C3'
	.insn cr 3, 9, a0, a1
# CHECK: [[@LINE-1]]:11: error: operand 1 of '.insn cr': expected quadrant of 2-byte instructions (a name such as C0, or a number), found 3
	.insn ci C1, 3, a0, 32
# CHECK: [[@LINE-1]]:22: error: operand 4 of '.insn ci': expected 6-bit signed immediate (-32..31), found 32
	.insn cl C0, 2, t0, 4(a1)
# CHECK: [[@LINE-1]]:18: error: operand 3 of '.insn cl': expected register of s0, s1, a0 to a5, fs0, fs1, fa0 to fa5, found register 't0'
	.insn sb CUSTOM_1, 1, a0, a1, far
	.insn 2, 3
# CHECK: [[@LINE-1]]:11: error: the low bits of 3 say that the instruction has 4 bytes, not what '.insn' says
	.insn 0x707f
# CHECK: [[@LINE-1]]:8: error: the low bits of 0x707f are reserved; expected those of an instruction of 2 to 22 bytes
	.insn 0x100000013
# CHECK: [[@LINE-1]]:8: error: 0x100000013 does not fit in an instruction of 4 bytes
	.insn 0x10000000000000000007f
# CHECK: [[@LINE-1]]:8: error: 0x10000000000000000007f does not fit in an instruction of 10 bytes
	.insn 0x100000000000000000000000000000000000000000607f
# CHECK: [[@LINE-1]]:8: error: this instruction has more than 22 bytes
	.insn 1, 2, 3
# CHECK: [[@LINE-1]]:14: error: too many arguments of '.insn'; expected VALUE, LENGTH, VALUE or a format
	.insn "r"
# CHECK: [[@LINE-1]]:8: error: argument 1 of '.insn': expected an expression
	.insn r OP, undefined, 2, a0, a1, a2
here:	.space 4096
far:
# CHECK: :42:32: error: '.insn sb' cannot reach: the distance is 4104, expected -4096..4094, a multiple of 2
# CHECK: :57:14: error: operand 'funct3' of '.insn r': expected 3-bit field (0..7), found the address of the undefined symbol 'undefined'
