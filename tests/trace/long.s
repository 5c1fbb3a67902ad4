# A trace that is longer than one block. Room that was reserved in the file is given back. The file that a trace replaces
# stays until the end, and stays whole when there is an error.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && rm -rf %t.d && mkdir %t.d
# RUN: %temu --trace %t 2> %t.lines
# RUN: %temu --trace=%t.d/trace %t && cmp %t.d/trace %t.lines
# RUN: %temu --trace=%t.d/trace %t && cmp %t.d/trace %t.lines && ls %t.d | count 1
# RUN: %python -c "import os, sys; s = os.stat(sys.argv[1]); sys.exit(s.st_blocks * 512 > s.st_size + (1 << 20))" %t.d/trace
# RUN: taskset -c 0 %temu --trace=%t.d/trace %t && cmp %t.d/trace %t.lines

# RUN: sh -c 'ulimit -f 8000; exec %temu --trace=%t.d/trace %t' 2> %t.err; test $? = 1
# RUN: FileCheck %s < %t.err && ls %t.d | count 1 && cmp %t.d/trace %t.lines
# CHECK: trace: error: cannot write the trace: File too large
# RUN: echo old > %t.d/trace && ln -s trace %t.d/link && %temu --trace=%t.d/link %t && cmp %t.d/trace %t.lines && test -L %t.d/link
# RUN: echo old > %t.d/trace && sh -c 'ulimit -f 4; exec %temu --trace=%t.d/trace --trace-insns=1000 %t' 2> %t.err; test $? = 1
# RUN: FileCheck %s < %t.err && grep -x old %t.d/trace

        .text
        .globl  _start
_start: li      t0, 50000
loop:   addi    t0, t0, -1
        sd      t0, -8(sp)
        bnez    t0, loop
        li      a7, 93
        li      a0, 0
        ecall
