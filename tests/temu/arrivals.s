# Native code of a loop is left in each iteration, by a system call, and control comes back to it through the interpreter. The way into native code stays as it is. (Once it was made anew each time, which took 100 bytes and dropped decoded code.)
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu -v %t 2>&1 | FileCheck %s
# CHECK: made {{[1-9][0-9]?}} instructions native code, in {{999[0-9][0-9][0-9]|10000[0-9][0-9]}} visits
# It takes hardly more memory than the first instructions do. (Under an emulator of the host, these take much.)
# RUN: %python -c 'import os, sys; most = lambda *command: os.wait4(os.spawnv(os.P_NOWAIT, command[0], command), 0)[2].ru_maxrss; \
# RUN:   first, all = most(sys.argv[1], "--max-insns=1000", sys.argv[2]), most(*sys.argv[1:]); sys.exit(f"{first} KB, {all} KB" if all > first + 40000 else 0)' %temu %t

        .globl _start
_start: li      s0, 1000000
        li      a7, 172
loop:   ecall
        .rept   20
        xor     a1, a1, s0
        .endr
        addi    s0, s0, -1
        bnez    s0, loop
        li      a0, 0
        li      a7, 93
        ecall
