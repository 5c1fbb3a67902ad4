# Histogram instructions in native code: no call, also with several groups of bins in a loop, whose thresholds differ. Their registers may be in
# registers of the host, first by default (fa2 to fa5), and later because other instructions use them. Bins become full.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %python %tools/tiers.py %temu --insns 77,5000,123456,4999999 --print 'out:u64[16]:hex' %t
# RUN: %temu --show-native=loop %t | FileCheck %s --implicit-check-not='[call' --implicit-check-not='[glue'
# CHECK: {{^}}  {{[0-9a-f]+}}  f32v4hist fa2:fa5,fs0:fa1 {{.*}}[[#%x,]]
# CHECK: f32v4hist ft0:ft3,fs0:fa1
# CHECK: f16v8hist fs4:fs7,fs0:fa1
# CHECK: f8v16hist fs8:fs11,fs0:fa1
# On newer hosts for x86-64 nothing is in the frame, and pairs of registers are aligned.
# RUN: case $(grep -m 1 ^flags /proc/cpuinfo) in *avx2*bmi2*) \
# RUN:     %temu --show-native=loop %t | sed -n '/ f32v4hist ft0/,/fill/p' > %t.native && grep vtestps %t.native && ! grep -E 'rsp|movups .*8[(]%%rbp' %t.native;; esac
# RUN: %tasm -o %t.o --defsym ROUNDS=300 %s && %tld -o %t.short %t.o && rm -rf %t.dir && mkdir %t.dir && cd %t.dir && echo '{}' > machine.yaml
# RUN: %python %S/Inputs/dump_state.py %temu %t.short | FileCheck --check-prefix=STATE %s
# STATE: 1 programs leave the same state in every way
        .ifndef ROUNDS
        .set    ROUNDS, 350000
        .endif
        .globl  _start, out, loop
_start:
        la      s0, in
        li      s1, ROUNDS
        fld     f12, 0(s0)
        fld     f13, 8(s0)
        fld     f14, 16(s0)
        fld     f15, 24(s0)
        fld     f0, 8(s0)
        fld     f1, 0(s0)
        fld     f2, 24(s0)
        fld     f3, 16(s0)
        fld     f20, 32(s0)
        fld     f21, 40(s0)
        fld     f22, 48(s0)
        fld     f23, 56(s0)
        fld     f24, 56(s0)
        fld     f25, 32(s0)
        fld     f26, 48(s0)
        fld     f27, 40(s0)
        li      s2, 0x9e3779b9
        li      s3, 12345
loop:   mul     s3, s3, s2
        addi    s3, s3, 7
        srli    t0, s3, 7
        fmv.w.x f8, t0
        srli    t0, s3, 13
        fmv.w.x f9, t0
        fmv.w.x f10, s3
        srli    t0, s3, 32
        fmv.w.x f11, t0
        f32v4hist f12:f15, f8:f11
        f32v4hist f0:f3, f8:f11
        f16v8hist f20:f23, f8:f11
        f8v16hist f24:f27, f8:f11
        fmv.x.w t1, f2
        xor     s3, s3, t1
        addi    s1, s1, -1
        bnez    s1, loop
        la      s0, out
        fsd     f12, 0(s0)
        fsd     f13, 8(s0)
        fsd     f14, 16(s0)
        fsd     f15, 24(s0)
        fsd     f0, 32(s0)
        fsd     f1, 40(s0)
        fsd     f2, 48(s0)
        fsd     f3, 56(s0)
        fsd     f20, 64(s0)
        fsd     f21, 72(s0)
        fsd     f22, 80(s0)
        fsd     f23, 88(s0)
        fsd     f24, 96(s0)
        fsd     f25, 104(s0)
        fsd     f26, 112(s0)
        fsd     f27, 120(s0)
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
in:     .quad   0x0123456705fc0000, 0xffffffff41fc0003, 0x01234567bdfc0000, 0xfffffffff9e30000
        .quad   0x0123456700280000, 0xffffffff3c140003, 0x01234567883c0000, 0xfffffffffffc0000
        .bss
        .balign 8
out:    .zero   128
