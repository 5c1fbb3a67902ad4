# The name of a section that nothing else defines is that of its beginning, before and after the section begins, as with GNU as.
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o && %tasm -march=rv64gc %s -o %t.o
# RUN: for object in %t.gas.o %t.o; do %gobjdump -drs -j .text -j own -j after $object | grep -v '%t' > $object.dump; done
# RUN: sed -i 's/gas[.]o:/o:/' %t.gas.o.dump && diff %t.gas.o.dump %t.o.dump
# RUN: readelf -sW %t.o | not grep -E ' (GLOBAL|NOTYPE) .* (own|after|[.]text)$'
# A label of that name is the label, where GNU as takes the section for a second definition.
# RUN: printf '.dword own\n.section own, "aw"\n.word 1\nown:\n' | %tasm -o %t.own.o - && readelf -sW %t.own.o | FileCheck --check-prefix=LABEL %s
# LABEL: 0000000000000004 {{.*}} own
# A name that the source declares global is that of another file.
# RUN: printf '.globl .data\n.dword .data\n' | %tasm -o %t.global.o - && readelf -sW %t.global.o | FileCheck --check-prefix=GLOBAL %s
# GLOBAL: GLOBAL DEFAULT UND .data
	nop
x:	la	a0, after
	lui	a1, %hi(own)
	addi	a1, a1, %lo(own + 3)
	call	.text
	j	.text
	beqz	a0, .text
	.section own, "aw"
	.dword	own, after + 4, .text, x - .text
	.set	later, after + 8
	.dword	later
	.section after, "a"
	.word	after
	.word	. - after
