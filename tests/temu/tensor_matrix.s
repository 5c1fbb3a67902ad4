# The matrix unit and DMA from source to trace: every instruction runs once, with numbers that can be checked by hand.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'mmv:f32[2]' --print 'vmm:f32[3]' --print 'mm:f32[2][2]' --print 'mms:f32[2][2]' \
# RUN:     --print 'tile:u8[16]' --print 'back:u8[8]' --trace=%t.trace --stats %t > %t.out 2> %t.stats
# RUN: FileCheck %s < %t.out
# RUN: FileCheck --check-prefix=STATS %s < %t.stats
# RUN: FileCheck --check-prefix=TRACE %s < %t.trace
#
# CHECK-LABEL: mmv:
# CHECK-SAME:  23, 53
# CHECK-LABEL: vmm:
# CHECK-SAME:  23, 31, 39
# CHECK-LABEL: mm:
# CHECK:       23, 14
# CHECK:       53, 32
# CHECK-LABEL: mms:
# CHECK:       11.5, 7
# CHECK:       26.5, 16
# CHECK-LABEL: tile:
# CHECK-SAME:  1, 2, 3, 9, 10, 11, 17, 18, 19, 0, 0, 0, 0, 0, 0, 0
# CHECK-LABEL: back:
# CHECK-SAME:  18, 19, 11, 17, 9, 10, 0, 0
#
# STATS: {{matrix.*multiply-adds +24$}}
# STATS: {{matrix.*scalings +4$}}
# STATS: {{dma.*bytes loaded +49$}}
# STATS: {{dma.*bytes stored +6$}}
#
# TRACE: dma.ld a0,a1,40{{.*}}| read[0x{{[0-9a-f]+}}+0x28] write[0x40000000+0x28]#{{[0-9a-f]+}}
# TRACE: mmv.f32{{.*}}| read[0x40000000+0x18] read[0x40000018+0xc] write[0x40000100+0x8]#{{[0-9a-f]+}}
# TRACE: vmm.f32{{.*}}| read[0x4000001c+0x8] read[0x40000000+0x18] write[0x40000110+0xc]#{{[0-9a-f]+}}
# TRACE: mm.f32{{.*}}| read[0x40000000+0x18] read[0x40000200+0x18] write[0x40000120+0x10]#{{[0-9a-f]+}}
# TRACE: mms.f32{{.*}}| read[0x40000120+0x10] write[0x40000130+0x10]#{{[0-9a-f]+}}
# TRACE: dma.ld2{{.*}}| read[0x[[#%x,FROM:]]+0x3]
# TRACE-SAME: read[0x[[#FROM+8]]+0x3] read[0x[[#FROM+16]]+0x3] write[0x40000140+0x9]
# TRACE: dma.st2{{.*}}| read[0x40000143+0x6] write[0x[[#%x,TO:]]+0x2]
# TRACE-SAME: write[0x[[#TO-2]]+0x2]#{{[0-9a-f]+}} write[0x[[#TO-4]]+0x2]#{{[0-9a-f]+}}

        .globl  _start
_start:
        # scratchpad: 0 the matrix, 24 the vector, 0x200 a 3x2 matrix
        li      a0, 0x40000000
        la      a1, matrix
        dma.ld  a0, a1, 40
        addi    a2, a0, 24
        addi    a3, a0, 0x100
        mmv.f32 a3, 2, a0, a2, 3
        addi    a4, a0, 28
        addi    a5, a0, 0x110
        vmm.f32 a5, 3, a4, 2, a0
        la      t0, right
        addi    t1, a0, 0x200
        li      t2, 24
        mv      t4, t1
        li      t5, 6
1:      lw      t6, 0(t0)               # the scratchpad is memory too
        sw      t6, 0(t4)
        addi    t0, t0, 4
        addi    t4, t4, 4
        addi    t5, t5, -1
        bnez    t5, 1b
        addi    t3, a0, 0x120
        mm.f32  t3, a0, t1, 2, 3, 2
        li      t5, 0x3f000000          # 0.5
        fmv.w.x fa0, t5
        addi    a6, a0, 0x130
        mms.f32 a6, t3, 4, fa0
        la      t0, bytes
        addi    t1, a0, 0x140
        dma.ld2 t1, t0, 3, 3, 8
        la      t0, back_rows
        addi    t1, t1, 3
        li      t2, -2
        dma.st2 t1, t0, 3, 2, t2
        li      a7, 93
        li      a0, 0
        ecall

        .data
        .balign 4
matrix: .float  1, 2, 3                 # 2x3
        .float  4, 5, 6
        .float  2, 3, 5                 # mmv's vector; the last two are vmm's
        .zero   4
right:  .float  2, 1                    # 3x2
        .float  3, 2
        .float  5, 3
bytes:  .byte   1, 2, 3, 4, 5, 6, 7, 8
        .byte   9, 10, 11, 12, 13, 14, 15, 16
        .byte   17, 18, 19, 20, 21, 22, 23, 24
        .globl  back
        .type   back, @object
back:   .zero   4
back_rows:
        .zero   4
        .size   back, 8

        .section .spm.results, "aw", @nobits    # from the start of the scratchpad
        .zero   0x100                   # the inputs
        .type   mmv, @object
mmv:    .zero   16
        .size   mmv, 8
        .type   vmm, @object
vmm:    .zero   16
        .size   vmm, 12
        .type   mm, @object
mm:     .zero   16
        .size   mm, 16
        .type   mms, @object
mms:    .zero   16
        .size   mms, 16
        .type   tile, @object
tile:   .zero   16
        .size   tile, 16
        .zero   0x100
