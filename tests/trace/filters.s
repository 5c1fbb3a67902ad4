# --trace-from, --trace-to and --trace-insns select the lines. The sequence numbers are those of the whole run.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace --trace-from=loop --trace-to=loop_end %t 2>&1 | FileCheck %s --check-prefix=BOTH
# RUN: %temu --trace --trace-from=after %t 2>&1 | FileCheck %s --check-prefix=FROM
# RUN: %temu --trace --trace-to=loop %t 2>&1 | FileCheck %s --check-prefix=TO
# RUN: %temu --trace --trace-from=loop --trace-insns 2 %t 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: %temu --trace --trace-from=never --trace-insns 2 %t 2>&1 | FileCheck %s --check-prefix=NEVER
# RUN: not %temu --trace --trace-from=nowhere %t 2>&1 | FileCheck %s --check-prefix=NOWHERE
# RUN: not %temu --trace --trace-format=yaml %t 2>&1 | FileCheck %s --check-prefix=FORMAT

# The trace is turned on at every `loop` and off after every `loop_end`.
# BOTH: # tensor-trace
# BOTH-NEXT: 1 {{.*}} <loop>
# BOTH-NEXT: 2 {{.*}} <loop_end>
# BOTH-NEXT: 4 {{.*}} <loop>
# BOTH-NEXT: 5 {{.*}} <loop_end>
# BOTH-NOT: 0x00

# FROM: # tensor-trace
# FROM-NEXT: 7 {{.*}} <after>
# FROM-NEXT: 8 {{.*}} <after+0x2>
# FROM-NEXT: 9 {{.*}} ecall
# FROM-NOT: 0x00

# TO: # tensor-trace
# TO-NEXT: 0 {{.*}} <_start>
# TO-NEXT: 1 {{.*}} <loop>
# TO-NOT: 0x00

# COUNT: # tensor-trace
# COUNT-NEXT: 1 {{.*}} <loop>
# COUNT-NEXT: 2 {{.*}} <loop_end>
# COUNT-NOT: 0x00

# NEVER: # tensor-trace
# NEVER-NOT: 0x00

# NOWHERE: error: {{.*}}nowhere
# FORMAT: error: {{.*}}yaml{{.*}}text{{.*}}spike{{.*}}json

        .text
        .globl  _start
_start: li      t0, 2
loop:   addi    t0, t0, -1
loop_end:
        nop
        bnez    t0, loop
after:  li      a0, 0
        li      a7, 93
        ecall
never:  nop
