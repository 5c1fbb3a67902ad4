# Instructions with the same code as others, which the compiler makes only once, have stencils as well: the orders of atomic instructions. So have
# classifications.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --show-native=loop %t | FileCheck %s --implicit-check-not='[call'
# CHECK: amoadd.w.aqrl a0,s1,(s0)
# CHECK: amoor.d.aq a0,s1,(s0)
# CHECK: lr.w.aq a0,(s0)
# CHECK: sc.w.rl a1,s1,(s0)
# CHECK: fclass.s a0,fa0
# CHECK: fclass.d a1,fa0
# CHECK: fclass.h a2,fa0
# RUN: %python %tools/tiers.py %temu --insns 777,5000 --print 'sum:u64[2]' %t
        .option arch, +zfh
        .globl  _start, loop
_start: la      s0, word
        li      s1, 1000
        li      s2, 0
loop:   amoadd.w.aqrl a0, s1, (s0)
        add     s2, s2, a0
        amoor.d.aq a0, s1, (s0)
        add     s2, s2, a0
        lr.w.aq a0, (s0)
        sc.w.rl a1, s1, (s0)
        add     s2, s2, a1
        fmv.d.x fa0, s2
        fclass.s a0, fa0
        fclass.d a1, fa0
        fclass.h a2, fa0
        slli    s2, s2, 7
        add     s2, s2, a0
        add     s2, s2, a1
        add     s2, s2, a2
        addi    s1, s1, -1
        bnez    s1, loop
        la      s0, sum
        sd      s2, (s0)
        li      a0, 0
        li      a7, 93
        ecall
        .bss
        .balign 8
word:   .zero   8
sum:    .zero   16
