# A block is interpreted the first 64 times that control comes to it, and native after that. The return from the function comes to a block ROUNDS + 3 times.
#
# RUN: for rounds in 61 80; do %tasm --defsym ROUNDS=$rounds -o %t.o %s && %tld -o %t.$rounds %t.o || exit 1; done
# RUN: not %temu -v %t.61 2>&1 | FileCheck --check-prefix=COLD %s
# COLD: made 0 instructions native code
# RUN: not %temu -v %t.80 2>&1 | FileCheck --check-prefix=WARM %s
# WARM: made {{([6-9]|1[0-9])}} instructions native code
#
# At any instruction, the state is that of the other tiers: a block is changed after its first execution and again after native code was made of it, and
# control comes for the first time to a block that faults after it has changed registers and memory.
#
# RUN: for rounds in %soak{80|61 80}; do %python %tools/tiers.py %temu --insns $(seq -s, 3 29 900) --dump-state=- %t.$rounds || exit 1; done
# RUN: not %temu --dump-state=- %t.80 > %t.state 2> %t.error; FileCheck --check-prefix=FAULT %s < %t.error
# FAULT: pc {{0x[0-9a-f]+}} <fault>

        .option norelax
        .globl _start
_start: la      s1, changing
        la      s2, others
        li      s3, 0
        li      s0, 1
        call    change
        li      s0, ROUNDS
        lw      a1, 0(s2)
        sw      a1, 0(s1)
        call    change
        li      s0, 2
        lw      a1, 4(s2)
        sw      a1, 0(s1)
        call    change
        j       faulting

# Adds what the changing function returns, s0 times.
change: mv      s4, ra
1:      call    changing
        add     s3, s3, a0
        addi    s0, s0, -1
        bnez    s0, 1b
        jr      s4

faulting:
        addi    s3, s3, 1000
        sd      s3, -8(sp)
        addi    s3, s3, 1
fault:  ld      a0, 8(zero)
        addi    s3, s3, 1
        li      a7, 93
        ecall

others: li      a0, 300
        li      a0, 500
        .section .changes, "awx"
        .balign 4096
changing:
        li      a0, 200
        ret
