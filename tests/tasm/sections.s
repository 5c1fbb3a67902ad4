# Sections, groups and subsections are those of GNU as.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

.section .text.a,"axG",@progbits,foo,comdat
.globl foo
.weak foo
foo: nop
 call foo
.section .rodata.a,"aG",@progbits,foo,comdat
.word 5
.section .m,"aMS",@progbits,1
.string "abc"
 .section .r,"aM",@progbits,8
.quad 5
.section .no
.word 6
.section .tdata,"awT"
.word 1
.section .tbss,"awT",@nobits
t: .zero 4
.text
lui a0,%tprel_hi(t)
.section .note.GNU-stack,"",@progbits
.section .text.b,"ax"
.align 4
nop
.text 3
nop
.text 1
.word 7
.subsection 2
.word 8
.previous
.pushsection .data,2
.word 5
.popsection
.word 9
.section .lo,"ao",@progbits,.text
.word 1
