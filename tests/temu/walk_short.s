# Rows with dimensions of two elements each: native code takes a step, and a turn to the next line, and a function takes the last step of all. Native code is not left for
# this. In the last round, elements are misaligned (FAULT 1) or in no memory (FAULT 2). State and message are the same in every tier.
#
# RUN: for fault in 0 1 2; do %tasm -o %t.o --defsym FAULT=$fault %s && %tld -o %t$fault %t.o && %python %tools/tiers.py %temu --dump-state=- %t$fault || exit 1; done
# RUN: not %temu %t1 2>&1 | FileCheck --check-prefix=FAULT %s
# FAULT: tensor access fault (cause 24, {{.*}}a multiple of 4)
# RUN: %temu --verbose %t0 2>&1 | sed 's/.* in \([0-9]*\) visits/\1/' > %t.visits && test "$(cat %t.visits)" -lt 3000
# RUN: for count in $(seq 3000001 %soak{4|1} 3000030); do \
# RUN:     for tier in interp auto; do not %temu --tier=$tier --max-insns=$count --dump-state=%t.$tier.state %t0 2> %t.errors || exit 1; done; \
# RUN:     cmp %t.interp.state %t.auto.state || exit 1; \
# RUN: done
        .globl  _start, loop
_start: la      s0, data
        li      s1, 30000
        li      s3, 0
        li      t0, 16
        li      t1, 32
        li      t2, 64
        li      t3, 8
        li      t4, 128
        tset.init 1, 0, 0
        tset.step 1, 0, 8
        tset.end 1, 0, t0
        tset.init 1, 1, 0
        tset.step 1, 1, t0
        tset.end 1, 1, t1
        tset.init 1, 2, 0
        tset.step 1, 2, t1
        tset.end 1, 2, t2
        tset.init 1, 3, 0
        tset.step 1, 3, t2
        tset.end 1, 3, t4
round:  tbase   1, s0
        tinit   1
        li      s2, 16
loop:   tld     a5, 1
        add     s3, s3, a5
        slli    a4, s3, 1
        srli    s3, s3, 63
        or      s3, s3, a4
        addi    s2, s2, -1
        bnez    s2, loop
        addi    s1, s1, -1
        .if FAULT
        bnez    s1, 1f
        .if FAULT == 1
        addi    s0, s0, 4
        .else
        li      s0, 0x70000000
        .endif
1:      .endif
        bgez    s1, round
        la      t0, data
        sd      s3, 0(t0)
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
data:   .rept   18
        .word   0x12345678, 0x87654321
        .endr
