# All instructions of Zfh and Zfa have stencils, so that native code calls no function for them; constants are known when it is made.
#
# RUN: %tasm -march=rv64gc_zfh_zfa -o %t.o %s && %tld -o %t %t.o && %temu --tier=optimize --show-native=loop %t > %t.out && FileCheck %s < %t.out
# RUN: not grep 'call of' %t.out
# CHECK: fadd.h fa0,fa1,fa2 {{[0-9a-f]+ [a-z]+}}
# CHECK: fli.h ft3,0.5 [constant]
# CHECK: fli.s ft4,1.25 [constant]
# CHECK: fli.d ft5,nan [constant]
# CHECK: fmv.d.x ft6,t1
# CHECK: fmv.d.x ft7,t2 [constant]
#
# The constants are right where they are pinned and where they are not.
# RUN: for tier in interp optimize; do %temu --tier=$tier --dump-state=%t.$tier %t; done; cmp %t.interp %t.optimize

        .globl _start
_start: li      s0, 5
        li      t0, 0x3c01
        fmv.h.x fa1, t0
        li      t0, 0x3001
        fmv.h.x fa2, t0
        fcvt.s.h fs1, fa1
        fcvt.d.h fs2, fa2
loop:   fadd.h  fa0, fa1, fa2
        fsub.h  fa0, fa0, fa2
        fmul.h  fa3, fa0, fa2
        fdiv.h  fa4, fa3, fa1
        fsqrt.h fa5, fa4
        fmadd.h fa6, fa0, fa3, fa1
        fmsub.h fa6, fa6, fa3, fa1
        fnmadd.h fa7, fa0, fa6, fa1
        fnmsub.h fa7, fa0, fa7, fa1
        fmin.h  ft0, fa0, fa1
        fmax.h  ft1, fa0, fa1
        feq.h   a0, ft0, ft1
        flt.h   a1, ft0, ft1
        fle.h   a2, ft0, ft1
        fcvt.w.h a3, fa1, rtz
        fcvt.wu.h a4, fa1
        fcvt.l.h a5, fa1
        fcvt.lu.h a6, fa1, rtz
        fcvt.h.w fs3, a3
        fcvt.h.wu fs4, a4
        fcvt.h.l fs5, a5
        fcvt.h.lu fs6, a6
        fcvt.s.h fs7, fa1
        fcvt.h.s fs8, fs7
        fcvt.d.h fs9, fa1
        fcvt.h.d fs10, fs9
        fminm.h ft0, fa0, fa1
        fmaxm.h ft1, fa0, fa1
        fleq.h  a3, ft0, ft1
        fltq.h  a4, ft0, ft1
        fround.h ft2, fa1
        froundnx.h fs11, fa1, rdn
        fminm.s ft8, fs1, fs7
        fmaxm.s ft9, fs1, fs7
        fleq.s  a3, fs1, fs7
        fltq.s  a4, fs1, fs7
        fround.s ft10, fs1, rup
        froundnx.s ft11, fs1
        fminm.d ft8, fs2, fs9
        fmaxm.d ft9, fs2, fs9
        fleq.d  a5, fs2, fs9
        fltq.d  a6, fs2, fs9
        fround.d ft10, fs2, rmm
        froundnx.d ft11, fs2
        fcvtmod.w.d a7, fs2, rtz
        fli.h   ft3, 0.5
        fli.s   ft4, 1.25
        fli.d   ft5, nan
        li      t1, 0x123456789
        fmv.d.x ft6, t1
        li      t2, -1
        fmv.d.x ft7, t2
        fli.h   fa3, 65536.0
        fli.s   fa4, inf
        fli.d   fa5, min
        addi    s0, s0, -1
        bnez    s0, loop
        li      a0, 0
        li      a7, 93
        ecall
