# The CSRs of the tensor units, on the default machine and on another one. tf8 selects the format that f8v16hist counts.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'csrs:u64[6]:hex' --print 'tf8:u64[4]' --print 'counts:u32[2][4]' %t | FileCheck %s
# RUN: printf 'scratchpad:\n  size: 64K\nmatrix:\n  lanes: 4\n  slaves: 7\ntraversal:\n  rows: 3\n  dimensions: 5\n' > %t.yaml
# RUN: %temu --machine %t.yaml --print 'csrs:u64[6]:hex' %t | FileCheck --check-prefix=OTHER %s
#
# CHECK-LABEL: csrs:
# CHECK-SAME:  0x0000000040000000, 0x0000000000100000, 0x0000000000000010, 0x0000000000000020, 0x0000000000000008,
# CHECK-SAME:  0x0000000000000008
# CHECK-LABEL: tf8:
# CHECK-SAME:  0, 1, 0, 1
# CHECK-LABEL: counts:
# CHECK:       16, 0, 0, 16
# CHECK:       0, 16, 0, 16
#
# OTHER-LABEL: csrs:
# OTHER-SAME:  0x0000000040000000, 0x0000000000010000, 0x0000000000000004, 0x0000000000000007, 0x0000000000000003,
# OTHER-SAME:  0x0000000000000005

        .macro  csr name
        csrr    t0, \name
        sd      t0, 0(a0)
        addi    a0, a0, 8
        .endm

# Sixteen values 0x3c, which have exponent 7 in E4M3 and exponent 15 in E5M2.
        .macro  count row
        li      t0, 0x3c3c3c3c
        fmv.w.x f16, t0
        fmv.w.x f17, t0
        fmv.w.x f18, t0
        fmv.w.x f19, t0
        la      t1, bins
        flw     f8, 0(t1)
        flw     f9, 4(t1)
        flw     f10, 8(t1)
        flw     f11, 12(t1)
        f8v16hist f8:f11, f16:f19
        .irp    number, 8, 9, 10, 11
        fmv.x.w t0, f\number
        slli    t0, t0, 46              # BIN_COUNT
        srli    t0, t0, 46
        sw      t0, (\row * 16 + (\number - 8) * 4)(s0)
        .endr
        .endm

        .globl  _start
_start:
        la      s0, counts
        la      a0, csrs
        csr     tspm
        csr     tspmsize
        csr     tlanes
        csr     tslaves
        csr     trows
        csr     tdims
        la      a0, tf8
        csr     tf8                     # reset: 0, E4M3
        count   0
        li      t0, -1
        csrw    tf8, t0
        csr     tf8                     # only bit 0 is there
        csrwi   tf8, 2
        csr     tf8
        csrsi   tf8, 1
        csr     tf8
        count   1
        li      a7, 93
        li      a0, 0
        ecall

        .data
        .balign 8
        .type   csrs, @object
csrs:   .zero   48
        .size   csrs, 48
        .type   tf8, @object
tf8:    .zero   32
        .size   tf8, 32
        .type   counts, @object
counts: .zero   32
        .size   counts, 32
bins:   .word   1 << 26 | 7 << 18       # exponent 7 alone
        .word   1 << 26 | 15 << 18      # exponent 15 alone
        .word   3 << 30 | 255 << 18 | 15 << 26  # negative subnormals
        .word   2 << 30 | 15 << 26      # any positive one
