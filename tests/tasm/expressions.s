# Operators, their precedence and their results are those of GNU as, which differ from those of C.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

 .quad 1 + 2 * 3 == 7
 .quad 1 | 2 + 4
 .quad 5 < 6, 6 < 5, 1&&2, !5, -1 >> 60, 10 - 3 - 2, -7/2, -7%3, ~0 ^ 5, 5 <> 6, 7 ! 3
 .byte 'a, 'b', '\n', '\\', 0377, 0b11, 0xff
 .quad 2 * 3 + 4, 2 + 3 * 4, 2 | 1 * 4, 1 << 4 - 2, 3 & 5 == 1, 1 == 1 && 0 == 0, 1 || 0, - - 5, ~-1
 .quad 0x7fffffffffffffff + 1, 5 <= 5, 5 >= 6, 5 != 5, (1 + 2) * (3 - 4)
 .set a, 5
 .quad a * a, a - 1 - 1
 .set a, a + 1
 .quad a
 .byte 'a + 1, ' ' , '\\', '\'', '\t
x: .word x2 - x, (x2 - x) * 2, (x2 - x) / 3
 .zero 12
x2: .byte x2 - x
 .if (x2 - x) == 24
 .byte 1
 .endif
 .if . - x2 != 2
 .byte 2
 .endif
