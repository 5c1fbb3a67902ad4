# The instruction that ends the program is in the trace, with its trap. Spike's log has only committed instructions.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: not %temu --trace=%t.text %t 2> %t.err
# RUN: FileCheck %s < %t.text
# RUN: not %temu --trace=%t.json --trace-format=json %t 2> %t.err
# RUN: FileCheck %s --check-prefix=JSON < %t.json
# RUN: %tdiff %t.text %t.json
# RUN: not %temu --trace=%t.spike --trace-format=spike %t 2> %t.err
# RUN: FileCheck %s --check-prefix=SPIKE < %t.spike

# A file that cannot be written is an error, and no part of it is left.
# RUN: not %temu --trace=%t.absent/trace %t 2>&1 | FileCheck %s --check-prefix=ABSENT
# ABSENT: absent/trace: error: cannot write: No such file or directory
# RUN: not %temu --trace=/dev/full %t 2>&1 | FileCheck %s --check-prefix=FULL
# FULL: /dev/full: error: cannot write the trace: No space left on device

# CHECK:      li a0,16 {{.*}} a0=0x10
# CHECK-NEXT: lw a1,0(a0) {{.*}} trap=5:0x10
# CHECK-NOT:  0x

# JSON: "disassembly":"lw a1,0(a0)","effects":[],"trap":{"cause":5,"value":"0x10"}}
# SPIKE: x10 0x0000000000000010
# SPIKE-NOT: core
        .text
        .globl  _start
_start: li      a0, 16
        lw      a1, 0(a0)
