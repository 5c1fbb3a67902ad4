# Floating-point instructions whose result is in the register of an operand have the same results in native code as interpreted, with
# registers that are pinned and others that are not.
#
# RUN: %tasm -march=rv64gc_zfh_zfa -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp optimize; do %temu --tier=$tier --dump-state=%t.$tier %t || exit 1; done
# RUN: cmp %t.interp %t.optimize && FileCheck %s < %t.optimize
# CHECK: "instructions": 204204,

        .macro  fold register
        fmv.x.d t2, \register
        slli    t1, a0, 7
        srli    a0, a0, 57
        or      a0, a0, t1
        xor     a0, a0, t2
        .endm
        .macro  one operation, a, result
        fmv.d   \result, \a
        \operation \result, \result
        fold    \result
        .endm
        .macro  two operation, a, b, result
        fmv.d   \result, \a
        \operation \result, \result, \b
        fold    \result
        fmv.d   \result, \b
        \operation \result, \a, \result
        fold    \result
        fmv.d   \result, \a
        \operation \result, \result, \result
        fold    \result
        .endm
        .macro  three operation, a, b, c, result
        fmv.d   \result, \c
        \operation \result, \a, \b, \result
        fold    \result
        fmv.d   \result, \a
        \operation \result, \result, \b, \c
        fold    \result
        fmv.d   \result, \b
        \operation \result, \a, \result, \c
        fold    \result
        .endm
        .macro  all suffix, a, b, c, result
        two     fadd.\suffix, \a, \b, \result
        two     fsub.\suffix, \a, \b, \result
        two     fmul.\suffix, \a, \b, \result
        two     fdiv.\suffix, \a, \b, \result
        two     fsgnj.\suffix, \a, \b, \result
        two     fsgnjn.\suffix, \a, \b, \result
        two     fsgnjx.\suffix, \a, \b, \result
        two     fmin.\suffix, \a, \b, \result
        two     fmax.\suffix, \a, \b, \result
        two     fminm.\suffix, \a, \b, \result
        two     fmaxm.\suffix, \a, \b, \result
        three   fmadd.\suffix, \a, \b, \c, \result
        three   fmsub.\suffix, \a, \b, \c, \result
        three   fnmadd.\suffix, \a, \b, \c, \result
        three   fnmsub.\suffix, \a, \b, \c, \result
        one     fsqrt.\suffix, \a, \result
        one     fround.\suffix, \a, \result
        one     froundnx.\suffix, \b, \result
        .endm

        .globl  _start
_start: li      s0, 100
loop:   li      t0, 3
        fcvt.d.l fa0, t0
        li      t0, -70
        fcvt.d.l fa1, t0
        fdiv.d  fa2, fa0, fa1
        fcvt.s.d fs0, fa0
        fcvt.s.d fs1, fa1
        fcvt.s.d fs2, fa2
        fcvt.h.d ft8, fa0
        fcvt.h.d ft9, fa1
        fcvt.h.d ft10, fa2
        all     d, fa0, fa1, fa2, fa5
        all     d, fa1, fa2, fa0, fs11
        all     s, fs0, fs1, fs2, fa5
        all     s, fs1, fs2, fs0, fs11
        all     h, ft8, ft9, ft10, fa5
        all     h, ft9, ft10, ft8, fs11
        fmv.d   fa5, fa2
        fcvt.s.d fa5, fa5
        fcvt.d.s fa5, fa5
        fcvt.h.d fa5, fa5
        fcvt.s.h fa5, fa5
        fcvt.h.s fa5, fa5
        fcvt.d.h fa5, fa5
        fold    fa5
        addi    s0, s0, -1
        bnez    s0, loop
        li      a7, 93
        mv      s1, a0
        li      a0, 0
        ecall
