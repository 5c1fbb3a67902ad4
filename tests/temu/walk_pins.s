# Walks in a loop that runs so long that their positions are in registers of the host: no call, and one addition for a step. A row of two dimensions
# with turns, one that goes down with floating-point numbers, one that repeats an element, and one that only makes addresses. At the end, the loop runs
# out of memory (FAULT 1: a load, 2: a store), to a misaligned element (3), or to the end of its walk (4). State and message are the same in every tier.
#
# RUN: for fault in 0 1 2 3 4; do %tasm -o %t.o --defsym FAULT=$fault %s && %tld -o %t$fault %t.o || exit 1; done
# RUN: %python %tools/tiers.py %temu --insns 99,4500000,5123456 --dump-state=- %t0
# RUN: for fault in 1 2 3 4; do %python %tools/tiers.py %temu --dump-state=- %t$fault || exit 1; done
#
# The same where accesses are checked: in the bare environment, with a page that machine mode may not read. (There is no handler at the end.)
# RUN: for fault in 0 2 3; do %tasm -o %t.o --defsym FAULT=$fault --defsym BARE=1 %s && %tld -T %S/../bare/Inputs/bare.ld -o %t.bare %t.o && %python %tools/tiers.py %temu --dump-state=- %t.bare || exit 1; done
# RUN: %temu --tier=interp --max-insns=4500000 --dump-state=%t.expected %t.bare; \
# RUN: for tier in auto optimize; do %temu --tier=$tier --max-insns=4500000 --dump-state=%t.state %t.bare; cmp %t.expected %t.state || exit 1; done
# RUN: not %temu --show-native=loop %t.bare 2> %t.errors | FileCheck %s --check-prefix=CHECKED --implicit-check-not='[call'
# CHECKED-NOT: row
# CHECKED: tlw a3,1
#
# RUN: %temu --show-native=loop %t0 | FileCheck %s --implicit-check-not='[call'
# CHECK: registers: {{.*}}row 1 in r{{.*}}row 3 in r{{.*}}others in memory
# CHECK: tlw a3,1
# CHECK: tfld fa0,2
# CHECK: tfsd fa0,2
# CHECK: tnext a4,3
# CHECK: tsh a3,4
#
# A short run is also compared with the definitions.
# RUN: %tasm -o %t.o --defsym FAULT=0 --defsym ROUNDS=2 %s && %tld -o %t.short %t.o && rm -rf %t.dir && mkdir %t.dir && cd %t.dir && echo '{}' > machine.yaml
# RUN: %python %S/Inputs/dump_state.py %temu %t.short | FileCheck --check-prefix=STATE %s
# STATE: 1 programs leave the same state in every way
        .ifndef ROUNDS
        .set    ROUNDS, 1500
        .endif
        .equ    LINE, 20
        .equ    LINES, 17
        .globl  _start, loop
_start:
        .ifdef BARE
        li      t0, 3 << 13                     # mstatus.FS
        csrs    mstatus, t0
        li      t0, 0x80100000 >> 2 | 0x1ff     # 4 KiB
        csrw    pmpaddr0, t0
        li      t0, 0x98                        # NAPOT, locked
        csrw    pmpcfg0, t0
        .endif
        la      s0, data
        li      s1, ROUNDS
        li      s3, 0
round:  tset.init 1, 0, 0                       # words: lines of LINE, 256 bytes apart, LINES of them
        tset.step 1, 0, 4
        li      t0, 4 * LINE
        tset.end 1, 0, t0
        tset.init 1, 1, 0
        li      t1, 256
        tset.step 1, 1, t1
        li      t1, 256 * LINES
        tset.end 1, 1, t1
        tbase   1, s0
        tinit   1
        li      t0, 8 * LINE * LINES            # numbers of 64 bits: down, each of them loaded and then stored
        tset.init 2, 1, t0
        li      t1, -8
        tset.step 2, 1, t1
        tset.end 2, 1, 0
        tset.repeat 2, 0, 2
        addi    t1, s0, 8
        tbase   2, t1
        tinit   2
        tset.init 3, 0, 0                       # addresses
        tset.step 3, 0, 3
        li      t1, 3 * LINE * LINES
        tset.end 3, 0, t1
        tbase   3, zero
        tinit   3
        tset.init 4, 0, 0                       # halfwords
        tset.step 4, 0, 2
        li      t1, 2 * LINE * LINES
        tset.end 4, 0, t1
        la      t1, halves
        tbase   4, t1
        tinit   4
        bnez    s1, 1f
        .if FAULT == 1
        li      t1, -124                        # row 1 begins below the last page
        la      t0, data
        li      t2, -4096
        and     t0, t0, t2
        tset.init 1, 0, 0
        tset.step 1, 0, t1
        li      t1, -124 * 400
        tset.end 1, 0, t1
        tbase   1, t0
        tinit   1
        .endif
        .if FAULT == 2
        li      t1, 1 << 31                     # row 4 goes to where nothing is, after some lines
        addi    t1, t1, -40
        sub     t1, t1, s0
        li      t0, 40
        tset.end 4, 0, t0
        tset.init 4, 1, 0
        tset.step 4, 1, t1
        tset.repeat 4, 2, 3
        slli    t1, t1, 1
        tset.end 4, 1, t1
        tinit   4
        .endif
        .if FAULT == 3
        li      t1, -7
        tset.step 2, 1, t1
        .endif
1:      li      s2, LINE * LINES
        .if FAULT == 4
        bnez    s1, loop
        addi    s2, s2, 1
        .endif
loop:   tlw     a3, 1
        tfld    fa0, 2
        tfsd    fa0, 2
        tnext   a4, 3
        slli    s3, s3, 1
        xor     s3, s3, a3
        add     s3, s3, a4
        tsh     a3, 4
        addi    s2, s2, -1
        bnez    s2, loop
        sd      s3, 1024(s0)
        addi    s1, s1, -1
        bgez    s1, round
        li      a0, 0
        li      a7, 93
        ecall

        .bss
        .balign 8
data:   .zero   8192
halves: .zero   2048
