# The upper part of an address is in a register between two instructions, which cannot be zero.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

lw x0, symbol
# CHECK: [[@LINE-1]]:4: error: operand 1 of 'lw': found register 'zero', which cannot hold the address; use another one
sw a0, symbol, zero
# CHECK: [[@LINE-1]]:16: error: operand 3 of 'sw': found register 'zero', which cannot hold the address; use another one
fld fa0, symbol, x0
# CHECK: [[@LINE-1]]:18: error: operand 3 of 'fld': found register 'zero', which cannot hold the address; use another one
jump symbol, x0
# CHECK: [[@LINE-1]]:14: error: operand 2 of 'jump': found register 'zero', which cannot hold the address; use another one
la.tls.ie zero, symbol
# CHECK: [[@LINE-1]]:11: error: operand 1 of 'la.tls.ie': found register 'zero', which cannot hold the address; use another one
lw zero, 4(a0)
sw zero, symbol, t0
call x0, symbol
seqz zero, a0
sext.b zero, a0
