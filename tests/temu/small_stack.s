# Instructions that the direct forms do not have, in long loops, on a small stack of the host: after each of them the executor goes on by a jump. The first
# loop is of one thread, the second one of the workers of a barrel, also with a profile, for which calls are followed, and
# with a trace.
#
# RUN: printf 'barrel: {workers: 3}\n' > %t.yaml && %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: (ulimit -s 512 && %temu --machine=%t.yaml --tier=interp --print=sum:u64 %t) | FileCheck %s
# RUN: (ulimit -s 512 && %temu --machine=%t.yaml --tier=interp --print=sum:u64 --profile=%t.profile --stats=%t.stats %t) | FileCheck %s
# RUN: (ulimit -s 512 && %temu --machine=%t.yaml --tier=interp --print=sum:u64 --trace=/dev/null %t) | FileCheck %s
# CHECK: sum:u64 = 300000
        .globl  _start
_start: li      s0, 100000
1:      csrr    t0, tself
        addi    s0, s0, -1
        bnez    s0, 1b
        la      a0, work
        trunall a0, zero, 0
        tsync
        li      a0, 0
        li      a7, 93
        ecall

work:   li      s0, 100000
        la      s1, sum
        li      s2, 1
1:      tbase   0, s1
        rdinstret s3
        call    next
        amoadd.d zero, s2, (s1)
        addi    s0, s0, -1
        bnez    s0, 1b
        texit   zero
next:   ret

        .data
        .balign 8
sum:    .dword  0
