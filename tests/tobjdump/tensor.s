# Tensor instructions: 32 and 64 bits, register groups, operands that are a register or an immediate, mapping symbols around data.
#
# RUN: %tasm %s -o %t.o
# RUN: %tobjdump -d %t.o | FileCheck %s
# RUN: %tobjdump -d -M numeric %t.o | FileCheck %s --check-prefix=NUMERIC

# CHECK:       0: {{[0-9a-f]+}} {{[0-9a-f]+}} mmv.f32 a0,64,a1,a2,127
# NUMERIC:     mmv.f32 x10,64,x11,x12,127
        mmv.f32 a0, 64, a1, a2, 127
# CHECK-NEXT:  8: {{[0-9a-f]+}} {{[0-9a-f]+}} mm.f32
        mm.f32  a0, a1, a2, 8, 16, t0
# CHECK-NEXT: 10: {{[0-9a-f]+}} {{[0-9a-f]+}} dma.ld a0,a1,a2
        dma.ld  a0, a1, a2
# CHECK-NEXT: {{[0-9a-f]+}}: {{[0-9a-f]+}}          f32v4hist fs0:fa1,fa2:fa5
# NUMERIC:    f32v4hist f8:f11,f12:f15
        f32v4hist f8:f11, f12:f15
# CHECK-NEXT: {{[0-9a-f]+}}: deadbeef          .word 0xdeadbeef
        .word   0xdeadbeef
# CHECK-NEXT: tloc a0,3
        tloc    a0, 3
