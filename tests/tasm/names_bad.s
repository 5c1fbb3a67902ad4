# Errors in local labels, .eqv and large numbers.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:

start:
	.eqv a, a + 1
# CHECK: [[@LINE-1]]:10: error: the value of 'a' depends on itself
	.word a
	.eqv b, 1
	.eqv b, 2
# CHECK: [[@LINE-1]]:7: error: symbol 'b' is already defined
	.octa 0x123456789abcdef0123456789abcdef01
# CHECK: [[@LINE-1]]:8: error: number '0x123456789abcdef0123456789abcdef01' does not fit in 64 bits
	.octa start
# CHECK: [[@LINE-1]]:8: error: a value of '.octa' must be a number known here; it depends on the address of symbol 'start'
3$:	nop
3$:	nop
# CHECK: [[@LINE-1]]:1: error: label '3$' is already defined
# CHECK: [[@LINE-3]]:1: note: first defined here
	.word 99999999999$
# CHECK: [[@LINE-1]]:8: error: local label '99999999999$' is too large: the largest is 4294967295
	.line -1
# CHECK: [[@LINE-1]]:8: error: line -1 does not exist; expected 0..2147483647
	.linkonce
# CHECK: [[@LINE-1]]:2: error: '.linkonce' is not supported: write a group: .section NAME, "axG", @progbits, GROUP, comdat
	.abort
# CHECK: [[@LINE-1]]:2: error: .abort
	.version "1"
# CHECK: [[@LINE-1]]:2: error: '.version' is not supported: write '.ident'
	.eqv c0, 1
	.eqv c1, c0 + c0
	.eqv c2, c1 + c1 + c1 + c1 + c1 + c1 + c1 + c1 + c1 + c1
	.eqv c3, c2 + c2 + c2 + c2 + c2 + c2 + c2 + c2 + c2 + c2
	.eqv c4, c3 + c3 + c3 + c3 + c3 + c3 + c3 + c3 + c3 + c3
	.eqv c5, c4 + c4 + c4 + c4 + c4 + c4 + c4 + c4 + c4 + c4
	.eqv c6, c5 + c5 + c5 + c5 + c5 + c5 + c5 + c5 + c5 + c5
	.quad c6
# CHECK: error: the value of 'c{{[0-9]}}' contains too many values of '.eqv'
	j 1$
end:
# .line numbers the next line.
	.line 500
	bogus
# CHECK: :500:2: error: unknown instruction 'bogus'
# CHECK: [[@LINE-6]]:4: error: there is no label '1$:' between the named labels around this place
