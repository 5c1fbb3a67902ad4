# Position-independent and thread-local addresses, weak references and named relocations are those of GNU as.
# RUN: %tasm -march=rv64gc %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
# RUN: %tasm -march=rv64gc -fpic %s -o %t.pic.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 -fpic %s -o %t.pic.gas.o
# RUN: %python %tools/compare_objects.py %t.pic.o %t.pic.gas.o
# RUN: %tasm -march=rv64gc -fPIC -fno-pic %s -o %t.no.o && cmp %t.o %t.no.o && not cmp -s %t.o %t.pic.o
# GNU as does not have lga, which is la after .option pic.
# RUN: echo 'lga a0, x' | %tasm -o %t.lga.o - && echo 'la a0, x' | %tasm -fpic -o %t.la.o - && cmp %t.lga.o %t.la.o

	.text
start:
	la a0, x
	lla a0, x
	la a0, 5
	.option push
	.option pic
	la a0, x
	la a1, local+8
	lla a1, x
	la a2, 0x12345
	lw a0, x
	call x@plt
	.option nopic
	la a0, x
	.option pic
	.option pop
	la a0, local
	la.tls.ie a0, ie
	la.tls.gd a0, gd
1:	auipc a0, %tls_ie_pcrel_hi(ie2)
	ld a0, %pcrel_lo(1b)(a0)
2:	auipc a0, %tls_gd_pcrel_hi(gd2)
	addi a0, a0, %pcrel_lo(2b)
	lui a0, %tprel_hi(le)
	add a0, a0, tp, %tprel_add(le)
	lw a0, %tprel_lo(le+4)(a0)
	sw a0, %tprel_lo(le+8)(a0)
	fsd fa0, %tprel_lo(le)(a0)
	.nop
	.option norvc
	.nop
	.option rvc

	.weakref maybe, missing
	call maybe
	la a0, maybe + 4
	.weakref maybe_too, missing
	.weakref twice, maybe
	.weakref both, direct
	.weakref unused, never
	.weakref to_label, start
	j to_label
	call both
	call direct
	call twice
	.weakref global, as_global
	.globl as_global
	call global

	.variant_cc vector
	.variant_cc start
	call vector

	.reloc ., R_RISCV_NONE, x
	.reloc ., R_RISCV_RELAX
3:	call x
	.reloc 3b, R_RISCV_32, y+4
	.reloc 3b+4, R_RISCV_NONE
	.reloc later+2, R_RISCV_SET8, later - 0
	.data
local:	.word 1, 2, 3
	.quad early, twice
	.reloc 4, R_RISCV_32, y+4
	.reloc local+8, R_RISCV_ADD32, start
	.reloc local+8, R_RISCV_SUB32, local
	.reloc local+8, R_RISCV_32, 5
	.weakref early, missing_too
	.section .debug_x
	.dtprelword tls
	.dtprelword tls2
	.dtpreldword tls
	.dtpreldword tls + 8
	.text
later:	ret
	ret
