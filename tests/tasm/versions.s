# What a tool for system software writes beside instructions: long encodings, mapping symbols with an architecture, call frames with CSRs,
# short entries of arrays, low parts with an offset, and alignment after odd data. All bytes are GNU as's.
# RUN: %tasm -march=rv64gc %s -o %t.o && %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o && %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: %greadelf -sW %t.o | FileCheck --check-prefix=MAP %s
# Each mapping symbol after the first one is that of GNU as.
# RUN: for object in %t.o %t.gas.o; do %greadelf -sW $object | awk '$8 ~ /^\$x/ { print $2, $8 }' | sed '1d' > $object.map; done; diff %t.o.map %t.gas.o.map
# RUN: for object in %t.o %t.gas.o; do %tld -e 0 -o $object.elf $object && %gld -e 0 -o $object.gnu $object && %gobjdump -d $object.gnu | grep 'lw\|sw' > $object.dump && \
# RUN:   %gobjdump -d $object.elf | grep 'lw\|sw' | wc -l | grep -x 5 || exit 1; done
# Alignment after odd data, under norelax. GNU as looks at the last '.option' of the file.
# RUN: printf '.option norelax\n.byte 1\n.balign 16\nnop\n.byte 1, 2, 3\n.balign 8\nnop\n' > %t.odd.s
# RUN: for arch in rv64gc; do %tasm -march=$arch %t.odd.s -o %t.odd.o && %gas -march=$arch -misa-spec=20191213 %t.odd.s -o %t.odd.gas.o && \
# RUN:   %python %tools/compare_objects.py %t.odd.o %t.odd.gas.o || exit 1; done

	.text
	add a0, a0, a1
	.option push
	.option arch, +zba
	add a0, a0, a1
	.option norvc
	add a0, a0, a1
	.option pop
	add a0, a0, a1
# MAP: $x{{$}}
# MAP: $xrv64i2p1{{.*}}_c2p0{{.*}}_zba1p0{{$}}
# MAP: $xrv64i2p1_m2p0{{.*}}_zba1p0{{$}}
# MAP: $xrv64i2p1{{.*}}d2p2_c2p0{{.*}}_zmmul1p0{{$}}

	.insn 0x007f
	.insn 12, 0x107f
	.insn 22, 0x607f
	.insn 0x8000000000000000007f
	.insn 22, 0xfedcba98765432100123456789abcdef55aa33cc607f
	.insn 0x00dcba98765432100123456789abcdef55aa33cc607f

	.cfi_startproc
	.cfi_return_column mepc
	nop
	.cfi_offset mepc, -8
	.cfi_register mcause, a0
	nop
	.cfi_endproc

2:	auipc a0, %pcrel_hi(words)
	lw a1, %pcrel_lo(2b)(a0)
	lw a2, %pcrel_lo(2b + 4)(a0)
	lw a3, %pcrel_lo(2b - 4)(a0)
	sw a3, %pcrel_lo(2b + 8)(a0)
	lw a4, 0(a0)

	.section .init_array, "aw", @init_array
	.word words
	.section .fini_array, "aw"
	.4byte words
	.data
	.word 0
words:	.word 1, 2, 3
