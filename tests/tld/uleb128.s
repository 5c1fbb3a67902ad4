# Differences in ULEB128 keep the number of bytes that the assembler reserved, though linking makes them smaller; one that needs more
# bytes is an error. (This assembler writes no such relocations, so SET8 and SUB8 are made SET_ULEB128 and SUB_ULEB128.)
#
# RUN: %gas -march=rv64imafd -o %t.o %s && %python %S/Inputs/retype.py %t.o 54=60 37=61
# RUN: %tld -o %t %t.o && %greadelf -x .data %t | FileCheck %s
# CHECK: 0x{{[0-9a-f]+}} 0484007f
# RUN: %gas -march=rv64imafd --defsym WIDE=1 -o %t.o %s && %python %S/Inputs/retype.py %t.o 54=60 37=61
# RUN: not %tld -o %t.none %t.o 2>&1 | FileCheck --check-prefix=WIDE %s
# WIDE: error: relocation R_RISCV_SET_ULEB128 against 'far': the value needs more bytes than the object has left for it
# RUN: %gas -march=rv64imafd --defsym OPEN=1 -o %t.o %s && %python %S/Inputs/retype.py %t.o 54=60 37=61
# RUN: not %tld -o %t.none %t.o 2>&1 | FileCheck --check-prefix=OPEN %s
# OPEN: error: relocation R_RISCV_SET_ULEB128 against 'after': the number runs past the end of the section
# RUN: %gas -march=rv64imafd -o %t.o %s && %python %S/Inputs/retype.py %t.o 54=0 37=61
# RUN: not %tld -o %t.none %t.o 2>&1 | FileCheck --check-prefix=ALONE %s
# ALONE: error: relocation R_RISCV_SUB_ULEB128 against 'before': there is nothing to subtract from
    .globl  _start
_start:
    nop
before:
    call    _start
after:
    .skip   200
far:
    .macro  difference end
    .reloc  ., R_RISCV_SET8, \end
    .reloc  ., R_RISCV_SUB8, before
    .endm
    .data
    difference after
    .byte   0x08
    .ifdef  WIDE
    difference far
    .byte   0x08
    .endif
    difference after
    .byte   0x88
    .ifdef  OPEN
    .byte   0x80
    .else
    .byte   0x00, 0x7f
    .endif
