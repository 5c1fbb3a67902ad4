# Constants of fli, however they are written: the bytes are those of llvm-mc. An integer is not one, as for llvm-mc (GNU as, from 2.41 on, takes it).
# RUN: %tasm -march=rv64gc_zfa_zfh %s -o %t.o && %gobjcopy -O binary -j .text %t.o %t.bin
# RUN: %llvm_mc -triple=riscv64 -mattr=+f,+d,+zfh,+zfa -filetype=obj %s -o %t.llvm.o && %gobjcopy -O binary -j .text %t.llvm.o %t.llvm.bin && cmp %t.llvm.bin %t.bin
# RUN: for text in 1 2 -1 31 0.3 -inf -0.5 0.0 2.0e5 max a0 INFINIT '"inf"'; do echo "fli.s ft1, $text" > %t.bad.s; \
# RUN:   not %llvm_mc -triple=riscv64 -mattr=+f,+zfa -filetype=obj %t.bad.s -o %t.bad.o || exit 1; \
# RUN:   not %tasm -march=rv64gc_zfa %t.bad.s -o %t.bad.o || exit 1; done > %t.out 2>&1
# RUN: FileCheck %s < %t.out
# CHECK: :1:12: error: operand 2 of 'fli.s': expected constant of fli: {{.*}}, found 1{{$}}
# The instruction as a word is what GNU as writes, which does not know its name.
# RUN: printf 'fli.s ft1, INF\nfli.s ft1, 1.0\n' | %tasm -march=rv64gc_zfa -mno-arch-attr - -o %t.1.o
# RUN: printf '.insn 0xf01f00d3\n.insn 0xf01800d3\n' | %gas -march=rv64gc -mno-arch-attr - -o %t.2.o && %python %tools/compare_objects.py %t.1.o %t.2.o

	.option	norelax
	fli.s	ft1, INF
	fli.s	ft1, Inf
	fli.s	ft1, inf
	fli.d	ft1, nan
	fli.h	ft1, NaN
	fli.s	ft1, min
	fli.s	ft1, MIN
	fli.s	ft1, 1.0
	fli.s	ft1, 1.
	fli.s	ft1, 1e0
	fli.s	ft1, 0x1p0
	fli.s	ft1, 0.50
	fli.d	ft1, 0x1p-3
	fli.s	ft1, -1.0
	fli.s	ft1, 3.0517578125e-5
