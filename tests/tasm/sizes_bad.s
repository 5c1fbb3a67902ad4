# Sizes that cannot be computed.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

.option norvc
1: nop
.org 0
# CHECK-DAG: [[@LINE-1]]:6: error: '.org' cannot move back: the location is 0x4, the target is 0
nop
.uleb128 foo
# CHECK-DAG: [[@LINE-1]]:10: error: a LEB128 value must be a number; it depends on symbol 'foo'
.space foo
# CHECK-DAG: [[@LINE-1]]:8: error: the count must be a number; it depends on symbol 'foo'
.space x - y
# CHECK-DAG: [[@LINE-1]]:8: error: the count is -4; it must not be negative
x: nop
y: nop
.org undefd
# CHECK-DAG: [[@LINE-1]]:6: error: '.org' needs a place in this section or a number
.bss
.zero 0x1fffffffffffffff
.zero 0x1fffffffffffffff
.zero 0x1fffffffffffffff
# CHECK-DAG: [[@LINE-1]]:7: error: section '.bss' grows beyond 4611686018427387904 bytes here
