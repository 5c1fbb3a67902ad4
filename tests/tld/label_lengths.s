# The distance of two labels as ULEB128, between which the linker shortens code: the assembler leaves it to the linker, which keeps
# the length of the number. Where nothing is shortened, it is a number of the object. As SLEB128, which has no relocation, it is an
# error.
#
# RUN: %tasm -o %t.o %s && %tobjdump -r -s -j .data %t.o | FileCheck --check-prefix=OBJECT %s
# OBJECT: 0000000000000000 R_RISCV_SET_ULEB128 after
# OBJECT-NEXT: 0000000000000000 R_RISCV_SUB_ULEB128 before
# OBJECT-NEXT: 0000000000000001 R_RISCV_SET_ULEB128 after+0x00000000000000c8
# OBJECT-NEXT: 0000000000000001 R_RISCV_SUB_ULEB128 before
# OBJECT-NEXT: 0000000000000003 R_RISCV_SET_ULEB128 before
# OBJECT-NEXT: 0000000000000003 R_RISCV_SUB_ULEB128 after
# OBJECT-NOT: ULEB128
# OBJECT: 0000 08d001f8 ffffffff ffffffff 01080278
#
# RUN: %tld -o %t %t.o && %greadelf -x .data %t | FileCheck %s
# CHECK: 04cc01fc ffffffff ffffffff 01080278
# CHECK-NEXT: 55
#
# RUN: not %tasm --defsym SIGNED=1 -o %t.none %s 2>&1 | FileCheck --check-prefix=SIGNED %s
# SIGNED: [[@LINE+22]]:14: error: the linker may shorten the code between these labels; put it after '.option norelax'
    .globl  _start
_start:
before:
    call    _start
after:
    .section .text.fixed, "ax"
    .option norelax
from:
    call    _start
to:
    nop
end:
    .data
    .uleb128 after - before
    .uleb128 after - before + 200
    .uleb128 before - after
    .uleb128 to - from
    .uleb128 end - to
    .sleb128 from - to
    .byte   0x55
    .ifdef  SIGNED
    .sleb128 before - after
    .endif
