# Data among code, by mapping symbols and by symbols of objects; runs of zeros; -D takes all of it for code. All is as in objdump.
#
# RUN: %gas -march=rv64imafd -mno-relax %s -o %t.o
# RUN: %tobjdump -d %t.o | FileCheck %s
# RUN: sh %S/Inputs/compare.sh %gobjdump %tobjdump %t.o
# RUN: %gobjdump -D -j .text -j .data -j .bss %t.o > %t.gnu
# RUN: %tobjdump -D -j .text -j .data -j .bss %t.o | diff %t.gnu -
# RUN: %gobjdump -dz %t.o > %t.gnu
# RUN: %tobjdump -dz %t.o | diff %t.gnu -
# RUN: %gobjdump -d --no-show-raw-insn %t.o > %t.gnu
# RUN: %tobjdump -d --no-show-raw-insn %t.o | diff %t.gnu -
# RUN: %gobjdump -t --special-syms %t.o > %t.gnu
# RUN: %tobjdump -t --special-syms %t.o | diff %t.gnu -

        .text
# CHECK-LABEL: <object>:
        .type   object, @object
object: .ascii  "an object among all code"
# CHECK-NEXT: 61 6e 20 6f 62 6a 65 63 74 20 61 6d 6f 6e 67 20 an object among
# CHECK-NEXT: 61 6c 6c 20 63 6f 64 65 all code
        .size   object, . - object
# CHECK-LABEL: <code>:
code:   nop
# CHECK-NEXT: 18: 00000013 nop
        .word   0x12345678
# CHECK-NEXT: 1c: 12345678 .word 0x12345678
        .half   0x1234
# CHECK-NEXT: 20: 1234 .short 0x1234
        .byte   0x12
# CHECK-NEXT: 22: 12 .byte 0x12
        ret
# CHECK:      ret
        .zero   64
# CHECK-NEXT: {{^}} ...
        nop
        .type   function, @function
# CHECK-LABEL: <function>:
function:
        ret
        .data
        .word   0, 0, 0, 7
label:  .dword  function
        .bss
        .space  64
