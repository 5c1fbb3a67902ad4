# Watchpoints in the scratchpad from gdb: accesses of a matrix product, of DMA and of a traversal load.
#
# RUN: %tasm -o %t.o %S/Inputs/tensors.s && %tld -o %t %t.o
# RUN: %python %tools/gdb_session.py %s %t -- %temu | FileCheck %s
#
# GDB: watch *(float *)&c
# GDB: continue
# CHECK: Hardware watchpoint 1: *(float *)&c
# CHECK: Old value = 0
# CHECK-NEXT: New value = 19
# CHECK-NEXT: in at_vector ()
# GDB: delete 1
# GDB: awatch *((float *)&b + 1)
# GDB: continue
# CHECK: Hardware access (read/write) watchpoint 2: *((float *)&b + 1)
# CHECK: Value = 6
# CHECK-NEXT: in at_scale ()
# GDB: delete 2
# GDB: rwatch *(int *)((char *)&main + 8)
# GDB: continue
# CHECK: Hardware read watchpoint 3: *(int *)((char *)&main + 8)
# CHECK: in at_store ()
# GDB: delete 3
# GDB: rwatch *(int *)&a
# GDB: break at_element
# GDB: continue
# CHECK: Hardware read watchpoint 4: *(int *)&a
# CHECK: in at_load_tile ()
# GDB: continue
# CHECK: Breakpoint 5, {{.*}} in at_element ()
# GDB: continue
# CHECK: Hardware read watchpoint 4: *(int *)&a
# CHECK: in at_element_float ()
# GDB: delete
# GDB: continue
# CHECK: exited normally
