# Encodings of every length that are not instructions.
#
# RUN: %gas -march=rv64imafd %s -o %t.o
# RUN: %tobjdump -d %t.o | FileCheck %s
# RUN: %gobjdump -d %t.o > %t.gnu
# RUN: %tobjdump -d %t.o | diff %t.gnu -

# CHECK:      0: 9002 .2byte 0x9002
        .insn 2, 0x9002
# CHECK-NEXT: 2: ffffffdb .4byte 0xffffffdb
        .insn 4, 0xffffffdb
# CHECK-NEXT: 6: 001f 0000 0001 .byte 0x1f, 0x00, 0x00, 0x00, 0x01, 0x00
        .insn 0x00010000001f
# CHECK-NEXT: c: 0000003f ffffffff .8byte 0xffffffff0000003f
        .insn 0xffffffff0000003f
# CHECK-NEXT: 14: 007f 0000 0000 0000 .byte 0x7f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00
# CHECK-NEXT: 1c: 0001
        .insn 0x0001000000000000007f
# CHECK-NEXT: nop
        nop
