# Loads and stores through a row, of all widths, signed and unsigned, with NaN-boxing, over a prologue, a tensor and an epilogue, and their trace.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'loaded:u64[9]:hex' --print 'stored:u8[48]:hex' --print 'gathered:u32[5]' --trace=%t.trace %t | FileCheck %s
# RUN: FileCheck --check-prefix=TRACE %s < %t.trace
#
# CHECK-LABEL: loaded:
# CHECK-SAME:  0xfffffffffffffff8, 0xfffffffffffff7f8, 0xfffffffff5f6f7f8, 0xf1f2f3f4f5f6f7f8, 0x00000000000000f8,
# CHECK-SAME:  0x000000000000f7f8, 0x00000000f5f6f7f8, 0xfffffffff5f6f7f8, 0xf1f2f3f4f5f6f7f8
# CHECK-LABEL: stored:
# CHECK-SAME:  0xf8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
# CHECK-SAME:  0xf8, 0xf7, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
# CHECK-SAME:  0xf8, 0xf7, 0xf6, 0xf5, 0x00, 0x00, 0x00, 0x00,
# CHECK-SAME:  0xf8, 0xf7, 0xf6, 0xf5, 0xf4, 0xf3, 0xf2, 0xf1,
# CHECK-SAME:  0xf8, 0xf7, 0xf6, 0xf5, 0x00, 0x00, 0x00, 0x00,
# CHECK-SAME:  0xf8, 0xf7, 0xf6, 0xf5, 0xf4, 0xf3, 0xf2, 0xf1
# CHECK-LABEL: gathered:
# CHECK-SAME:  100, 10, 20, 30, 200
#
# TRACE: tlw t0,3 {{.*}}| load4[0x[[#%x,]]]=0x64 traversal.done[3]=0x1 t0=0x64
# TRACE: tlw t0,3 {{.*}}| load4[0x[[#%x,A:]]]=0xa traversal.offset[4][0]=0x4 t0=0xa
# TRACE: tlw t0,3 {{.*}}| load4[0x[[#A+4]]]=0x14 traversal.offset[4][0]=0x8 t0=0x14
# TRACE: tlw t0,3 {{.*}}| load4[0x[[#A+8]]]=0x1e traversal.offset[4][0]=0x0 traversal.done[4]=0x1 t0=0x1e
# TRACE: tlw t0,3 {{.*}}| load4[0x[[#%x,]]]=0xc8 traversal.done[5]=0x1 t0=0xc8

        .globl  _start
_start:
        # nine times the same doubleword
        la      a0, pattern
        la      s0, loaded
        tset.repeat 0, 0, 9
        tbase   0, a0
        tinit   0
        .macro  take mnemonic
        \mnemonic t0, 0
        sd      t0, 0(s0)
        addi    s0, s0, 8
        .endm
        .irp    mnemonic, tlb, tlh, tlw, tld, tlbu, tlhu, tlwu
        take    \mnemonic
        .endr
        tflw    fa0, 0
        fsd     fa0, 0(s0)
        tfld    fa1, 0
        fsd     fa1, 8(s0)
        tdone   t0, 0
        beqz    t0, fail

        # each store 8 bytes on
        la      a0, stored
        tset.init 1, 0, 0
        tset.step 1, 0, 8
        li      t0, 48
        tset.end 1, 0, t0
        tbase   1, a0
        tinit   1
        ld      t0, pattern
        tsb     t0, 1
        tsh     t0, 1
        tsw     t0, 1
        tsd     t0, 1
        tfsw    fa0, 1
        tfsd    fa1, 1

        # prologue, tensor, epilogue: gathered one by one
        la      a0, before
        addi    a1, a0, 4
        tprologue 3, a0, 4, a1
        la      a0, data
        tset.step 4, 0, 4
        tset.end 4, 0, 12
        tbase   4, a0
        tinit   4
        la      a0, after
        addi    a1, a0, 4
        tepilogue 5, 0, 4, 4
        tbase   5, a0
        la      s0, gathered
1:      tlw     t0, 3
        sw      t0, 0(s0)
        addi    s0, s0, 4
        tdone   t1, 3
        beqz    t1, 1b
        li      a7, 93
        li      a0, 0
        ecall
fail:   ebreak

        .data
        .balign 8
pattern:
        .dword  0xf1f2f3f4f5f6f7f8
before: .word   100
data:   .word   10, 20, 30
after:  .word   200
        .balign 8
        .type   loaded, @object
loaded: .zero   72
        .size   loaded, 72
        .type   stored, @object
stored: .zero   48
        .size   stored, 48
        .type   gathered, @object
gathered:
        .zero   20
        .size   gathered, 20
