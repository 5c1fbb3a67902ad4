# Instructions without a stencil are executed by their functions, which native code calls without being left: loops of them are a few visits.
#
# RUN: %tasm -march=rv64gc_zbc_zicboz -o %t.o %s && %tld -o %t %t.o
# RUN: not %temu -v %t 2>&1 | FileCheck %s
# CHECK: made {{[1-9][0-9]*}} instructions native code, in {{[0-9][0-9]?[0-9]?}} visits
# CHECK: store access fault
#
# All registers are the program's in the function, those that it writes are afterwards, and a trap in it is exact.
# RUN: for tier in interp auto optimize; do not %temu --tier=$tier --dump-state=%t.$tier %t 2>%t.err.$tier; done
# RUN: cmp %t.interp %t.auto && cmp %t.interp %t.optimize && cmp %t.err.interp %t.err.auto && cmp %t.err.interp %t.err.optimize
# So are limits that end behind it.
# RUN: for count in 30001 30002 30003 30004 30005; do for tier in interp auto; do \
# RUN:   not %temu --tier=$tier --max-insns=$count --dump-state=%t.$count.$tier %t 2>/dev/null; done; cmp %t.$count.interp %t.$count.auto || exit 1; done

        .globl _start
_start: li      s0, 20000
        li      a5, 0x1234567
        li      t3, 0x89abcde
        fcvt.d.l fa5, t3
        # Registers of the host that a function may change hold the program's: the sum has all of them.
loop:   clmul   a4, a5, t3
        clmulh  t4, a4, a5
        rdinstret a3
        add     a2, a4, a3
        fcvt.d.l fa4, a2
        fadd.d  fa5, fa5, fa4
        clmulr  a0, a2, t3
        xor     t5, t4, a0
        add     a1, a1, t5
        xor     a6, a6, a1
        add     a7, a7, a6
        add     s1, s1, a7
        csrrsi  s2, fflags, 2
        addi    a5, a5, 3
        addi    s0, s0, -1
        bnez    s0, loop
        # To the end of the memory.
        la      a0, buffer
zero:   cbo.zero (a0)
        sd      s1, 0(a0)
        addi    a0, a0, 64
        j       zero

        .bss
        .balign 64
buffer: .zero   1 << 20
