# An error in an included file or in a macro shows the chain of includes and calls.
# RUN: not %tasm -I %S/Inputs %s -o %t.o 2>&1 | FileCheck %s
# RUN: not ls %t.o

	.include "outer.inc"
	wrong_twice 5000

# CHECK: inner.inc:5:15: error: operand 3 of 'addi': expected 12-bit signed immediate (-2048..2047), found 9999
# CHECK-NEXT: addi a1, a1, 9999
# CHECK-NEXT: ^~~~
# CHECK-NEXT: outer.inc:2:11: note: included
# CHECK-NEXT: include_chain.s:5:11: note: included

# CHECK: inner.inc:3:15: error: operand 3 of 'addi': expected 12-bit signed immediate (-2048..2047), found 5000
# CHECK-NEXT: addi a0, a0, 5000
# CHECK-NEXT: ^~~~
# CHECK-NEXT: outer.inc:4:2: note: in expansion of macro 'wrong'
# CHECK-NEXT: include_chain.s:6:2: note: in expansion of macro 'wrong_twice'
# CHECK-NOT: error:
