# A section that is ordered by another names the first section of that name, or a label in it, as compilers do. Sections of one name that
# follow different sections are different.
# RUN: %tasm %s -o %t.o && %gobjdump -h %t.o > /dev/null && readelf -SW %t.o | FileCheck %s
# CHECK: [ [[#TEXT:]]] .text
# CHECK: [ [[#FIRST:]]] .text.f
# CHECK: .text.f
# CHECK: .order {{.*}} 000001 00 AL {{ *}}[[#FIRST]] 0 1
# CHECK: .places {{.*}} 000003 00 AL {{ *}}[[#FIRST]] 0 1
# CHECK: .places {{.*}} 000001 00 AL {{ *}}[[#TEXT]] 0 1
# RUN: %gas %s -o %t.gas.o && for object in %t.o %t.gas.o; do readelf -SW $object | grep -E ' [.](order|places) ' | sed 's/ 0000[0-9a-f]* [0-9a-f]* / /' > $object.sections; done
# RUN: diff %t.o.sections %t.gas.o.sections
	.section .text.f, "ax", @progbits
inside:	nop
	.section .text.f, "ax", @progbits, unique, 1
	nop
	.section .order, "ao", @progbits, .text.f
	.byte 1
	.ifndef .text.f
	.error "a section that exists counts as defined"
	.endif
	.section .places, "ao", @progbits, inside
	.byte 1
	.section .places, "ao", @progbits, later
	.byte 2
	.section .places, "ao", @progbits, inside
	.byte 3
	.section .places, "ao", @progbits, inside
	.byte 4
	.text
later:	nop

# RUN: printf '.section a, "ao"\n.section a, "ao", @progbits\n' > %t.bad.s && not %tasm %t.bad.s -o %t.bad.o 2>&1 | FileCheck --check-prefix=EMPTY %s
# EMPTY: bad.s:1:17: error: a section with flag o needs the name of a symbol in the section whose order it follows, or of that section
# EMPTY: bad.s:2:28: error: a section with flag o needs
# RUN: printf 'five = 5\n.section a, "ao", @progbits, none\n.section b, "ao", @progbits, five\n' > %t.bad.s && not %tasm %t.bad.s -o %t.bad.o 2>&1 | FileCheck --check-prefix=NONE %s
# NONE: bad.s:2:30: error: section 'a' is ordered by 'none', which is neither a label nor a section
# NONE: bad.s:3:30: error: section 'b' is ordered by 'five', which is neither a label nor a section
