# .insn in all its forms: contents, relocations and symbols are those of GNU as.
# RUN: %tasm -march=rv64gc %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

	.text
start:
	.insn r OP, 1, 2, a0, a1, a2
	.insn r 0x33, 7, 127, fa0, a1, fa2
	.insn r CUSTOM_0, 0, 0, x0, x31, x15
	.insn r MADD, 1, 2, a0, a1, a2, fa3
	.insn r4 NMADD, 1, 3, fa0, fa1, fa2, fa3
	.insn r4 NMSUB, 0, 0, a0, a1, a2, a3
	.insn r MSUB, 7, 0, a0, a1, a2, a3
	.insn r OP_FP, 7, 0, fa0, fa1, a2
	.insn r OP_32, (1 + 2), 1 << 5, s0, s1, t6
	.insn r AMO, 3, 0, a0, a1, a2
	.insn r OP_V, 3, 0, a0, a1, a2
	.insn i OP_IMM, 1, a0, a1, -2048
	.insn i OP_IMM_32, 1, a0, a1, 2047
	.insn i LOAD, 1, fa0, fa1, -3
	.insn i LOAD, 1, a0, -3(a1)
	.insn i LOAD_FP, 3, fa0, (sp)
	.insn i JALR, 0, a0, a1, %lo(foo)
	.insn i LOAD, 1, a0, %lo(foo+4)(a1)
1:	.insn u AUIPC, a0, %pcrel_hi(foo)
	.insn i OP_IMM, 0, a0, a0, %pcrel_lo(1b)
	.insn i SYSTEM, 1, a0, a1, 0x123
	.insn i MISC_MEM, 1, x0, x0, 0
	.insn s STORE, 1, a0, 4(a1)
	.insn s STORE_FP, 1, fa0, %lo(foo)(a1)
	.insn s STORE, 3, a0, (a1)
	.insn s CUSTOM_1, 7, a0, -2048(a1)
	.insn u LUI, a0, 0x12345
	.insn u LUI, fa0, %hi(foo)
	.insn u CUSTOM_2, t0, 0xfffff
	.insn uj JAL, a0, start
	.insn j JAL, fa0, foo
	.insn uj JAL, x0, end
	.insn uj CUSTOM_3, x0, end
	.insn j JAL, x0, . + 8
	.insn sb BRANCH, 1, a0, a1, start
	.insn b BRANCH, 4, fa0, a1, end
	.insn sb BRANCH, 1, a0, a1, foo
	.insn b BRANCH, 6, a0, zero, far
	.insn sb CUSTOM_1, 1, a0, a1, end
	.insn cr C2, 9, a0, a1
	.insn cr C2, 8, fa0, a1
	.insn cr 2, 15, x31, x1
	.insn ci C1, 3, a0, -32
	.insn ci C1, 3, fa0, 31
	.insn ciw C0, 0, a0, 255
	.insn ciw C0, 0, fa5, 1
	.insn css C2, 6, a0, 63
	.insn css C2, 6, fa0, 1
	.insn cl C0, 2, a0, 31(a1)
	.insn cl C0, 2, fa0, 3(fa1)
	.insn cs C0, 6, a0, 5(a1)
	.insn cs C0, 5, fs0, 16(s1)
	.insn ca C1, 0x23, 3, a0, a1
	.insn ca C1, 0x27, 0, fa0, a1
	.insn cb C1, 6, a0, end
	.insn cb C1, 7, fa0, foo
	.insn cb C1, 6, a1, start
	.insn cj C1, 5, end
	.insn cj C1, 5, foo
	.insn cj C1, 5, . + 4
end:
	.insn 0x13
	.insn 0x4, 0x13
	.insn 2, 1
	.insn 1
	.insn 8, 0x3f
	.insn 0x123456789abcde3f
	.insn 6, 0x1f
	.insn 0x12345678001f
	.space 5000
far:	nop
