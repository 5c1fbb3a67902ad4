# Operands that plain RISC-V does not have (registers or immediates, register groups, 64-bit encodings), and the note for other tools.
# RUN: %tasm %s -o %t.o && %tobjdump -d %t.o | FileCheck %s
# RUN: %greadelf -A %t.o | FileCheck --check-prefix=ARCH %s
# RUN: %greadelf -SW %t.o | FileCheck --check-prefix=NOTE %s
# RUN: %gld -r %t.o -o %t.linked.o

kernel:
	dma.ld	a0, a1, 64
	mm.f32	a0, a1, 127, 3, s11, 0
	mms.f32	a0, a1, 16, fa0
	f32v4hist f8:f11, f12:f15
	csrr	a0, tlanes
	ret
# CHECK: <kernel>:
# CHECK: dma.ld a0,a1,64
# CHECK: mm.f32 a0,a1,127,3,s11,0
# CHECK: mms.f32 a0,a1,16,fa0
# CHECK: f32v4hist fs0:fa1,fa2:fa5
# CHECK: csrr a0,tlanes
# CHECK: ret
# ARCH: Tag_RISCV_arch: "rv64i2p1_m2p0_{{.*}}_xhist1p0_xmat1p0"
# NOTE: .note.tensor.isa NOTE
