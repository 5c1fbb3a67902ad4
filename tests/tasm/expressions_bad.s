# Values that depend on themselves, and missing local labels.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

nop
.set a, b
# CHECK-DAG: [[@LINE-1]]:9: error: the value of 'b' depends on itself
.set b, a
# CHECK-DAG: [[@LINE-1]]:9: error: the value of 'a' depends on itself
j 1f
# CHECK-DAG: [[@LINE-1]]:3: error: there is no label '1:' after '1f'
j 2b
# CHECK-DAG: [[@LINE-1]]:3: error: there is no label '2:' before '2b'
