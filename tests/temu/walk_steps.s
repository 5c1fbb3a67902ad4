# A row whose elements are loaded as words and as numbers of 64 bits: what a step adds is in a register of the host for one of the two, and is read from
# memory for the other, which must find that its elements are misaligned in the last round (FAULT 1). State and message are the same in every tier.
#
# RUN: for fault in 0 1; do %tasm -o %t.o --defsym FAULT=$fault %s && %tld -o %t$fault %t.o && %python %tools/tiers.py %temu --dump-state=- %t$fault || exit 1; done
# RUN: not %temu %t1 2>&1 | FileCheck --check-prefix=FAULT %s
# FAULT: tensor access fault (cause 24, {{.*}}a multiple of 4)
# FAULT: tld a5,1
# RUN: %temu --show-native=loop %t0 | FileCheck %s --implicit-check-not='[call'
# CHECK: registers: {{.*}} row 1 in {{.*}} step of row 1 in [[STEP:r[a-z0-9]+]],
# CHECK: tlw a3,1
# CHECK: add 0x
# CHECK: tld a5,1
# CHECK: add %[[STEP]],%
        .equ    COUNT, 300
        .globl  _start, loop
_start: la      s0, data
        li      s1, 9000
        li      s3, 0
round:  tset.init 1, 0, 0
        tset.step 1, 0, 8
        li      t0, 8 * COUNT
        tset.end 1, 0, t0
        tbase   1, s0
        tinit   1
        li      s2, COUNT / 3
loop:   tlw     a3, 1
        tlwu    a4, 1
        tld     a5, 1
        add     s3, s3, a3
        xor     s3, s3, a4
        add     s3, s3, a5
        addi    s2, s2, -1
        bnez    s2, loop
        addi    s1, s1, -1
        .if FAULT
        bnez    s1, 1f
        addi    s0, s0, 4
1:      .endif
        bgez    s1, round
        la      t0, data
        sd      s3, 0(t0)
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
data:   .rept   COUNT + 1
        .word   0x12345678, 0x87654321
        .endr
