# Relocations of code and data, with and without relaxation, are those of GNU as.
# RUN: %tasm %s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o

	.text
	.globl f
f:
.L1:	nop
.L2:	lla a0, x
.L3:	nop
	beq a0,a1,.L1
	j f
	call g
	beqz a0, ext
	.word .L2-.L1
	.word .L3-.L2
	.word .L9-.L1
	.p2align 4
.L9:
	lui a0,%hi(x)
	lw a0,%lo(x+4)(a0)
	lw a0, x
	sw a0, x+8, t0
1:	auipc a0,%pcrel_hi(ext)
	ld a0,%pcrel_lo(1b)(a0)
	lui a0,%hi(x)
	.p2align 4
	j f
	beq a0,a1,.L1
	.data
	.byte 1
x:	.quad f, x-4, x-.Lx
.Lx:	.word .Lx-x
	.word f-x
	.word .Lz-x
	.byte .Lz-x
	.half f-x
.Lz:	.zero 3
	.word . - x
	.word (.Lz-x)/2
	.word (.Lq-x)/2
.Lq:
	.size f, .Lq-x
	.size x, .-x
 .uleb128 300
 .sleb128 -300
	.text
	.set abs, 0x100
	j 100
	beqz a0, 100
	call 0x1000
	la a0, 0x1000
	lla a0, abs
	call abs
	j abs
	beqz a0, abs
	lui a0, %hi(abs)
	addi a0, a0, %lo(0x12345)
	lui a0, %hi(0x12345)
	lui a0, %hi(x + 0x12345)
	addi a0, a0, %lo(x + 0x12345)
	call s1
	sh zero, zero, a5
	fsw fa0, s1, a5
	call t0, millicode
	tail undef + 4
	jump undef, t2
	call plt@plt
	.word abs, und, 5
	beq a0, a1, und
	addi a0, a0, %pcrel_lo(f)
	sw a0, %pcrel_lo(f)(a1)
	lui a5, %tprel_hi(tls)
	add a5, a5, tp, %tprel_add(tls)
	lw a0, %tprel_lo(tls)(a5)
	sw a0, %tprel_lo(tls)(a5)
2:	auipc a0, %got_pcrel_hi(x)
	ld a0, %pcrel_lo(2b)(a0)
	fld fa0, x, t0
	fsw fa0, x, t0
	sd a0, x+16, t1
	.weak weak
	beq a0, a1, weak
weak:	jal weak
