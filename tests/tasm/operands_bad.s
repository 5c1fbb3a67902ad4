# A message about an operand has what was expected, with its range, and what was found.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

addi a0, a0, 5000
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'addi': expected 12-bit signed immediate (-2048..2047), found 5000
addi a0, a0, a2
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'addi': expected 12-bit signed immediate (-2048..2047), found register 'a2'
addi a0, a0
# CHECK-DAG: [[@LINE-1]]:12: error: 'addi': expected 3 operands (addi rd, rs1, imm), found 2
addi a0, a0, 1, 2
# CHECK-DAG: [[@LINE-1]]:17: error: 'addi': expected 3 operands (addi rd, rs1, imm), found 4
addi a0, 5
# CHECK-DAG: [[@LINE-1]]:10: error: operand 2 of 'addi': expected scalar register, found 5
addd a0, a1, a2
# CHECK-DAG: [[@LINE-1]]:1: error: unknown instruction 'addd'; did you mean 'add', 'addi' or 'addw'?
add a0, a1, "x"
# CHECK-DAG: [[@LINE-1]]:13: error: operand 3 of 'add': expected scalar register or 12-bit signed immediate (-2048..2047), found a string
lw a0, 4(5)
# CHECK-DAG: [[@LINE-1]]:9: error: operand 3 of 'lw': expected scalar register, found 5
lw a0, 4(a1
# CHECK-DAG: [[@LINE-1]]:12: error: unexpected end of statement; expected ')' or an operator
lw a0, 5000(a1)
# CHECK-DAG: [[@LINE-1]]:8: error: operand 2 of 'lw': expected 12-bit signed offset (-2048..2047) or '(' or symbol, found 5000
lw a0, a1
# CHECK-DAG: [[@LINE-1]]:8: error: operand 2 of 'lw': expected 12-bit signed offset (-2048..2047) or '(' or symbol, found register 'a1'
beq a0, a1, a2
# CHECK-DAG: [[@LINE-1]]:13: error: operand 3 of 'beq': expected branch target, found register 'a2'
lui a0, 0x100000
# CHECK-DAG: [[@LINE-1]]:9: error: operand 2 of 'lui': expected 20-bit upper immediate (0..1048575), found 1048576
csrrw a0, foo, a1
# CHECK-DAG: [[@LINE-1]]:11: error: operand 2 of 'csrrw': expected control and status register (a name, or 0..4095), found symbol 'foo'
csrr a0, tlans
# CHECK-DAG: [[@LINE-1]]:10: error: operand 2 of 'csrr': unknown CSR 'tlans'; did you mean 'tlanes'?; expected control and status register (a name, or 0..4095), found symbol 'tlans'
csrw stvc, a0
# CHECK-DAG: [[@LINE-1]]:6: error: operand 1 of 'csrw': unknown CSR 'stvc'; did you mean 'stvec', 'mtvec' or 'sepc'?; expected control and status register (a name, or 0..4095), found symbol 'stvc'
csrrw a0, 5000, a1
# CHECK-DAG: [[@LINE-1]]:11: error: operand 2 of 'csrrw': expected control and status register (a name, or 0..4095), found 5000
fence rx, w
# CHECK-DAG: [[@LINE-1]]:7: error: operand 1 of 'fence': expected fence set (letters of iorw) or the end of the statement, found symbol 'rx'
fadd.s fa0, fa1, a2
# CHECK-DAG: [[@LINE-1]]:18: error: operand 3 of 'fadd.s': expected arithmetic register, found register 'a2'
fadd.s fa0, fa1, fa2, foo
# CHECK-DAG: [[@LINE-1]]:23: error: operand 4 of 'fadd.s': expected rounding mode (rne, rtz, rdn, rup, rmm, dyn), found symbol 'foo'
mm.f32 a0, a1, a2, 64, 200, 5
# CHECK-DAG: [[@LINE-1]]:24: error: operand 5 of 'mm.f32': expected scalar register or small unsigned immediate (a register of x, or 0..127), found 200
f32v4hist f1:f4, f8:f11
# CHECK-DAG: [[@LINE-1]]:11: error: operand 1 of 'f32v4hist': the first register of a group must be a multiple of the group's size; expected four consecutive arithmetic registers (4 registers, the first a multiple of 4: f4:f7), found register 'f1'
f32v4hist f8:f11, f8:f11
# CHECK-DAG: [[@LINE-1]]:1: error: 'f32v4hist': the two register groups may not overlap
f32v4hist f8, f12:f15
# CHECK-DAG: [[@LINE-1]]:11: error: operand 1 of 'f32v4hist': a register group is written first:last; expected four consecutive arithmetic registers (4 registers, the first a multiple of 4: f4:f7), found register 'f8'
f32v4hist f8:f12, f12:f15
# CHECK-DAG: [[@LINE-1]]:14: error: operand 1 of 'f32v4hist': the last register must be the first plus the group's size less 1; expected f8:f11, found register 'f12'
slli a0, a0, 64
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'slli': expected shift amount (0..63), found 64
addi a0, a0, %foo(1)
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'addi': unknown operator '%foo'; expected 12-bit signed immediate (-2048..2047), found '%foo(1)'
addi a0, a0, %hi(1)
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'addi': '%hi' cannot be used in this operand; expected 12-bit signed immediate (-2048..2047), found '%hi(1)'
addi a0, a0, 1.5
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'addi': expected 12-bit signed immediate (-2048..2047), found '1.5'
lb a0, (a1
# CHECK-DAG: [[@LINE-1]]:11: error: unexpected end of statement; expected ')' or an operator
csrrwi a0, fflags, 32
# CHECK-DAG: [[@LINE-1]]:20: error: operand 3 of 'csrrwi': expected 5-bit unsigned immediate (0..31), found 32
jalr a0, 1, 2, 3
# CHECK-DAG: [[@LINE-1]]:13: error: 'jalr': expected at most 3 operands (jalr rd, [imm](rs1)), found 4
fence.tso a0
# CHECK-DAG: [[@LINE-1]]:11: error: 'fence.tso': expected the end of the statement, found register 'a0'
mms.f32 a0, a1, 3, a4
# CHECK-DAG: [[@LINE-1]]:20: error: operand 4 of 'mms.f32': expected arithmetic register, found register 'a4'
fence r
# CHECK-DAG: [[@LINE-1]]:8: error: 'fence': expected ',', found the end of the statement
ecall 5
# CHECK-DAG: [[@LINE-1]]:7: error: 'ecall': expected the end of the statement, found 5
sw a0, label2
# CHECK-DAG: [[@LINE-1]]:14: error: 'sw': expected ',' or '(', found the end of the statement
lui a0, -1
# CHECK-DAG: [[@LINE-1]]:9: error: operand 2 of 'lui': expected 20-bit upper immediate (0..1048575), found -1
addi a0, a0, "s"
# CHECK-DAG: [[@LINE-1]]:14: error: operand 3 of 'addi': expected 12-bit signed immediate (-2048..2047), found a string
beq a0, a1, 1.5
# CHECK-DAG: [[@LINE-1]]:13: error: operand 3 of 'beq': expected branch target, found '1.5'
beq a0, a1, %lo(x)
# CHECK-DAG: [[@LINE-1]]:13: error: operand 3 of 'beq': expected branch target, found '%lo(x)'
la a0
# CHECK-DAG: [[@LINE-1]]:6: error: 'la': expected 2 operands (la rd, value), found 1
la a0, %hi(x)
# CHECK-DAG: [[@LINE-1]]:8: error: operand 2 of 'la': expected 32-bit address or symbol, found '%hi(x)'
jal f0, x
# CHECK-DAG: [[@LINE-1]]:5: error: operand 1 of 'jal': expected scalar register or jump target, found register 'f0'
, a0
# CHECK-DAG: [[@LINE-1]]:1: error: unexpected ','
add , a0
# CHECK-DAG: [[@LINE-1]]:7: error: operand 1 of 'add': expected scalar register, found ','
add a0,
# CHECK-DAG: [[@LINE-1]]:8: error: 'add': expected 3 operands (add rd, rs1, rs2), found 2
add a0,,a1
# CHECK-DAG: [[@LINE-1]]:9: error: operand 2 of 'add': expected scalar register, found ','
tset.repeat 9, 0
# CHECK-DAG: [[@LINE-1]]:17: error: 'tset.repeat': expected 3 operands (tset.repeat row, dim, value), found 2
