# Messages about errors in statements and directives.
# RUN: not %tasm %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: not ls %t.o

.word 0x1ffffffff
# CHECK-DAG: [[@LINE-1]]:7: error: 8589934591 does not fit in '.word'; expected -2147483648..4294967295
.byte 256
# CHECK-DAG: [[@LINE-1]]:7: error: 256 does not fit in '.byte'; expected -128..255
.byte -129
# CHECK-DAG: [[@LINE-1]]:7: error: -129 does not fit in '.byte'; expected -128..255
.half 65536
# CHECK-DAG: [[@LINE-1]]:7: error: 65536 does not fit in '.half'; expected -32768..65535
.word 1 +
# CHECK-DAG: [[@LINE-1]]:10: error: unexpected end of statement; expected a value: a number, a symbol, a register or '('
.word (1 + 2
# CHECK-DAG: [[@LINE-1]]:13: error: unexpected end of statement; expected ')' or an operator
.word 1 2
# CHECK-DAG: [[@LINE-1]]:9: error: argument 1 of '.word': expected ',' or an operator after the expression
4294967296: nop
# CHECK-DAG: [[@LINE-1]]:1: error: local label '4294967296' is too large: the largest is 4294967295
.fooo 5
# CHECK-DAG: [[@LINE-1]]:1: error: unknown directive '.fooo'
.glob x
# CHECK-DAG: [[@LINE-1]]:1: error: unknown directive '.glob'; did you mean '.globl', '.global' or '.loc'?
adddi a0, a0, 1
# CHECK-DAG: [[@LINE-1]]:1: error: unknown instruction 'adddi'; did you mean 'addi', 'add' or 'addiw'?
.align 99
# CHECK-DAG: [[@LINE-1]]:8: error: the alignment of '.align' is 2^99; expected 0..20
.balign 3
# CHECK-DAG: [[@LINE-1]]:9: error: the alignment of '.balign' is 3; expected a power of two up to 1048576
.balign -4
# CHECK-DAG: [[@LINE-1]]:9: error: the alignment of '.balign' is -4; expected a power of two up to 1048576
.p2align 3,,-1
# CHECK-DAG: [[@LINE-1]]:13: error: the largest padding of '.p2align' is negative
.section
# CHECK-DAG: [[@LINE-1]]:1: error: '.section' needs at least 1 argument, found 0
.section .x, "q"
# CHECK-DAG: [[@LINE-1]]:14: error: unknown section flag 'q'; known: a w x M S G T o e R
.section .x, "a", @what
# CHECK-DAG: [[@LINE-1]]:19: error: unknown section type 'what'; expected @progbits, @nobits, @note, @init_array, @fini_array, @preinit_array or a number
.section .y, "aM", @progbits
# CHECK-DAG: [[@LINE-1]]:29: error: argument 4 of '.section': expected an expression
.section .y, "aG"
# CHECK-DAG: [[@LINE-1]]:18: error: a section with flag G needs the name of its group
.type foo, @fun
# CHECK-DAG: [[@LINE-1]]:12: error: unknown type 'fun' of a symbol; expected @function, @object, @tls_object, @common, @notype, @gnu_indirect_function or @gnu_unique_object
.type foo
# CHECK-DAG: [[@LINE-1]]:1: error: '.type' needs 2 arguments, found 1
x: .word 1
# CHECK-DAG: [[@LINE-1]]:1: note: first defined here
# CHECK-DAG: [[@LINE-2]]:1: note: first defined here
x: .word 2
# CHECK-DAG: [[@LINE-1]]:1: error: symbol 'x' is already defined
.equiv x, 5
# CHECK-DAG: [[@LINE-1]]:8: error: symbol 'x' is already defined
.word 12345678901234567890123
# CHECK-DAG: [[@LINE-1]]:7: error: number '12345678901234567890123' does not fit in 64 bits
.word 0b2
# CHECK-DAG: [[@LINE-1]]:7: error: malformed number '0b2'
.word 0x
# CHECK-DAG: [[@LINE-1]]:7: error: malformed number '0x'
.word 09
# CHECK-DAG: [[@LINE-1]]:7: error: digit '9' in an octal number (it begins with 0)
.ascii "abc
# CHECK-DAG: [[@LINE-1]]:8: error: unterminated string: its closing '"' is missing
.ascii "a\q"
# CHECK-DAG: [[@LINE-1]]:10: error: unknown escape '\q' in a string; known: \a \b \f \n \r \t \v \\ \" \' \ooo \xhh
.ascii 5
# CHECK-DAG: [[@LINE-1]]:8: error: '.ascii' expects strings in quotes
.byte '
# CHECK-DAG: [[@LINE-1]]:7: error: a character is missing after "'"
.byte `
# CHECK-DAG: [[@LINE-1]]:7: error: unexpected character '`'
.include "nofile.s"
# CHECK-DAG: [[@LINE-1]]:10: error: cannot read 'nofile.s': No such file or directory
.incbin "nofile.bin"
# CHECK-DAG: [[@LINE-1]]:9: error: cannot read 'nofile.bin': No such file or directory
.popsection
# CHECK-DAG: [[@LINE-1]]:1: error: '.popsection' without '.pushsection'
.option pop
# CHECK-DAG: [[@LINE-1]]:9: error: '.option pop' without '.option push'
.option foo
# CHECK-DAG: [[@LINE-1]]:9: error: unknown option 'foo'; expected push, pop, relax, norelax, arch, rvc, norvc, pic, nopic, csr-check or no-csr-check
.attribute arch, "rv32i"
# CHECK-DAG: [[@LINE-1]]:18: error: malformed architecture 'rv32i' at 'rv32i': expected 'rv64', in lower case (this machine has 64-bit registers)
.attribute nothing, 5
# CHECK-DAG: [[@LINE-1]]:12: error: argument 1 of '.attribute' must be a number known here; it depends on the undefined symbol 'nothing'
.attribute stack_align, "x"
# CHECK-DAG: [[@LINE-1]]:25: error: argument 2 of '.attribute': expected an expression
.zero -1
# CHECK-DAG: [[@LINE-1]]:7: error: the count of '.zero' is -1; it must not be negative
.fill 1, 9
# CHECK-DAG: [[@LINE-1]]:10: error: the size of '.fill' is 9; expected 0..8
.comm c, -1
# CHECK-DAG: [[@LINE-1]]:10: error: the size of 'c' is negative
.comm c, 4, 3
# CHECK-DAG: [[@LINE-1]]:13: error: the alignment of 'c' is 3; expected a power of two
.float abc
# CHECK-DAG: [[@LINE-1]]:8: error: expected a floating-point number, found 'abc'
.float (2 * 3)
# CHECK-DAG: [[@LINE-1]]:8: error: expected a floating-point number, found '(2 * 3)'; only integers may be expressions
.float 1.5x
# CHECK-DAG: [[@LINE-1]]:8: error: malformed number '1.5x'
.insn 0x0
.insn 8, 0x13
# CHECK-DAG: [[@LINE-1]]:10: error: the low bits of 0x13 say that the instruction has 4 bytes, not what '.insn' says
