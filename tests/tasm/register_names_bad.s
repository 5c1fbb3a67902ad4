# A message about a name that is nearly that of a register has the register.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

mv xa0, a1
# CHECK-DAG: [[@LINE-1]]:4: error: operand 1 of 'mv': expected scalar register, found symbol 'xa0'; did you mean 'a0', 'x0' or 'x10'?
lw a0, 4(spp)
# CHECK-DAG: [[@LINE-1]]:9: error: operand 3 of 'lw': expected scalar register, found '(spp)'; did you mean 'sp'?
mm.f32 a00, a1, a2, 2, 2, 2
# CHECK-DAG: [[@LINE-1]]:8: error: operand 1 of 'mm.f32': expected scalar register or small unsigned immediate (a register of x, or 0..127), found symbol 'a00'; did you mean 'a0'?
f32v4hist fff8:f11, f0:f3
# CHECK-DAG: [[@LINE-1]]:11: error: operand 1 of 'f32v4hist': expected four consecutive arithmetic registers (4 registers, the first a multiple of 4: f4:f7), found symbol 'fff8'; did you mean 'f18', 'f28' or 'f8'?
fadd.s nothing, f1, f2
# CHECK-DAG: [[@LINE-1]]:8: error: operand 1 of 'fadd.s': expected arithmetic register, found symbol 'nothing'{{$}}
add a0, a1, zeo
# CHECK-DAG: [[@LINE-1]]:13: error: operand 'imm' of 'add': expected 12-bit signed immediate (-2048..2047), found the address of the undefined symbol 'zeo'; did you mean 'zero'?
addi a0, a1, zeo
# CHECK-DAG: [[@LINE-1]]:14: error: operand 'imm' of 'addi': expected 12-bit signed immediate (-2048..2047), found the address of the undefined symbol 'zeo'; use 'la'
