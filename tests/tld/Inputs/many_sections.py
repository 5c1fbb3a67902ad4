"""Prints a program with more sections than the section index of a symbol counts.

many_sections.py functions COUNT: each function has a section, and with it a section of relocations.
many_sections.py names COUNT: each function has an output section of its own.
many_sections.py groups COUNT: each function has a group, whose signature is not a symbol of the program.
"""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
SECTION = {
    "functions": '.section .text.f{0},"ax",@progbits',
    "names": '.section s{0},"ax",@progbits',
    "groups": '.section .text.f{0},"axG",@progbits,signature{0},comdat',
}[kind]
for i in range(count):
    print(SECTION.format(i))
    print(f".globl f{i}\nf{i}: " + (f"tail f{i + 1}" if i + 1 < count else "lw a0, answer; li a7, 93; ecall"))
print('.section .rodata.answer,"a"\nanswer: .word 42')
print('.section .text.last,"ax"\n.local in_last\n.equ in_last, end - 2\nnop\nend:\n.globl _start\n_start: tail f0')
