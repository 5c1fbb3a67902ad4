# Instructions with one floating-point register as both operands, for numbers, zeros, infinities, NaN and what is not NaN-boxed: in native code, interpreted, and under QEMU.
#
# RUN: %gas -march=rv64gc -o %t.o %s && %gld -o %t %t.o && %qemu %t > %t.qemu; test -s %t.qemu
# RUN: for tier in interp translate optimize auto; do %temu --tier=$tier %t | cmp - %t.qemu || exit 1; done
#
# That is a move of the host.
# RUN: %temu --tier=translate --show-native=moved %t > %t.out; grep -A1 'fmv.d fa0,fa1' %t.out | FileCheck --check-prefix=MOVE %s
# MOVE: fmv.d fa0,fa1 {{[0-9a-f]+ [a-z]+}}
# MOVE-NEXT: {{^ [0-9a-f]+}} ret

        .macro  fold register
        mul     s3, s3, s4
        xor     s3, s3, \register
        .endm
        .macro  each operation, result, a
        \operation \result, \a, \a
        fmv.x.d t2, \result
        fold    t2
        .endm
        .macro  compare operation, a
        \operation t2, \a, \a
        fold    t2
        frflags t2
        fold    t2
        .endm
        .macro  all suffix, result, a
        each    fsgnj.\suffix, \result, \a
        each    fsgnjn.\suffix, \result, \a
        each    fsgnjx.\suffix, \result, \a
        each    fmin.\suffix, \result, \a
        each    fmax.\suffix, \result, \a
        compare feq.\suffix, \a
        compare flt.\suffix, \a
        compare fle.\suffix, \a
        .endm

        .option norelax
        .globl  _start
_start: la      s0, numbers
        la      s1, end
        li      s2, 100
        li      s3, 1
        li      s4, 0x9e3779b97f4a7c15
1:      fsflags zero
        fld     fa1, 0(s0)
        fld     fs11, 0(s0)
        flw     fa2, 0(s0)
        flw     fs10, 0(s0)
        all     d, fa5, fa1
        all     d, fs9, fs11
        all     s, fa5, fa2
        all     s, fs9, fs10
        all     s, fa5, fa1
        fmv.d   fa5, fs11
        all     d, fa5, fa5
        call    moved
        addi    s0, s0, 8
        bne     s0, s1, 1b
        la      s0, numbers
        addi    s2, s2, -1
        bnez    s2, 1b
        la      a1, end
        sd      s3, 0(a1)
        li      a0, 1
        li      a2, 8
        li      a7, 64
        ecall
        li      a0, 0
        li      a7, 93
        ecall

moved:  fmv.d   fa0, fa1
        ret

        .data
        .balign 8
numbers:
        .double 0.0, -0.0, 1.5, -2.25, 1e-310, inf, -inf, 1e300
        .dword  0x7ff8000000000000, 0x7ff0000000000001, 0xfff4000000000000
        .dword  0xffffffff3fc00000, 0xffffffffff800000, 0xffffffff7fc00000, 0xffffffff7f800001
        .dword  0xffffffff80000000, 0xfffffffe3f800000
end:    .dword  0
