# Histogram bins in a loop. Registers of their group are also written and read individually, and are not NaN-boxed when the loop begins. Registers
# that an instruction writes are NaN-boxed, the others keep their values, and a value that is not NaN-boxed is read as a NaN. Bins and values are
# those of machine.md, 4.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %python %tools/tiers.py %temu --insns 77,5000,9999 --print 'out:u64[10]:hex' %t
# RUN: %temu --tier=optimize --print 'out:u64[10]:hex' %t | FileCheck %s
# The bins count 2, 3, 3 and 4 more in each of 2000 iterations. The second bin is set before each one, and the third one is summed up after it.
# CHECK: 0xffffffff05fc0fa0
# CHECK-SAME: 0xffffffff01fc0003
# CHECK-SAME: 0xffffffff3dfc1770
# CHECK-SAME: 0xffffffff39e01f40
# CHECK-SAME: 0x111111113f800000
# CHECK-SAME: 0x22222222bfc00000
# CHECK-SAME: 0x333333333f000000
# CHECK-SAME: 0x4444444440800000
# CHECK-SAME: 0xffffffff7fc00000
# CHECK-SAME: 0x000001e4411b9938
        .globl  _start, out
_start:
        la      s0, in
        fld     ft0, 0(s0)
        fld     ft1, 8(s0)
        fld     ft2, 16(s0)
        fld     ft3, 24(s0)
        fld     ft4, 32(s0)
        fld     ft5, 40(s0)
        fld     ft6, 48(s0)
        fld     ft7, 56(s0)
        li      s1, 0
        li      s2, 2000
        li      s3, 0x01fc0000
        la      t0, count                       # the address is in a register, so that each part is different code
        jr      t0

        .balign 64
count:  fmv.w.x ft1, s3
        f32v4hist ft0:ft3, ft4:ft7
        fmv.x.w t1, ft2
        add     s1, s1, t1
        addi    s2, s2, -1
        bnez    s2, count
        fadd.s  fs0, ft4, ft5
        la      t0, end
        jr      t0

        .balign 64
end:    la      s0, out
        fsd     ft0, 0(s0)
        fsd     ft1, 8(s0)
        fsd     ft2, 16(s0)
        fsd     ft3, 24(s0)
        fsd     ft4, 32(s0)
        fsd     ft5, 40(s0)
        fsd     ft6, 48(s0)
        fsd     ft7, 56(s0)
        fsd     fs0, 64(s0)
        sd      s1, 72(s0)
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
in:     .quad   0x0123456705fc0000, 0x0123456701fc0000, 0x012345673dfc0000, 0x0123456739e00000
        .quad   0x111111113f800000, 0x22222222bfc00000, 0x333333333f000000, 0x4444444440800000
        .bss
        .balign 8
out:    .zero   80
