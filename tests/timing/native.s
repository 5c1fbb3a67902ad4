# Native code counts the passages through blocks: the same as the interpreter, which has little to do then. The state of the pipeline
# at the entry of a block depends on the way to it; a fault in the middle of a block ends the counting there.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: not %temu --timing=json --timing-file=%t.one --trace=/dev/null --trace-format=ttrace %t 2> %t.fault
# RUN: for tier in interp auto translate optimize; do %temu --tier=$tier --timing=json --timing-file=%t.all %t 2> %t.err; test $? = 139 && cmp %t.one %t.all && cmp %t.fault %t.err || exit 1; done
# RUN: for limit in 99 100 101 102 103 104 105 777776 777777; do for tier in interp translate; do \
# RUN:     %temu --tier=$tier --timing=json --timing-file=%t.$tier --dump-state=%t.$tier.state --max-insns=$limit %t 2> %t.err; test $? = 125 || exit 1; done; \
# RUN:     cmp %t.interp %t.translate && cmp %t.interp.state %t.translate.state || exit 1; done
# RUN: not %temu --verbose --timing %t 2>&1 | FileCheck %s
# CHECK: made {{[1-9][0-9]*}} instructions native code, in {{[1-9][0-9]?}} visits
        .globl _start
_start: li s1, 100000
        la s0, data
        li s2, 3
1:      andi t0, s1, 7
        bnez t0, 2f
        div s3, s1, s2                  # usable late
2:      ld t1, 0(s0)
        add t1, t1, s3
        sd t1, 0(s0)
        fcvt.d.l ft0, t1
        fadd.d ft1, ft1, ft0
        frflags t2
        call leaf
        addi s1, s1, -1
        bnez s1, 1b
        mul t3, t1, s2
        ld t4, 0(zero)
        add t4, t4, t3
leaf:   mul a0, s1, s2
        bltz a0, 3f
        addi a0, a0, 1
3:      ret
        .data
        .balign 8
data:   .dword 5
