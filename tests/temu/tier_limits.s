# --max-insns is exact in native code: on a long path of several blocks, after returns that lead forward and backward, and in a small loop.
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: for tier in interp auto translate optimize; do for n in $(seq 20000 %soak{23|7} 20700) $(seq 3000000 %soak{37|11} 3000700); do %temu --tier=$tier --max-insns=$n %t 2>&1; test $? = 125 || exit 1; done >%t.$tier || exit 1; done
# RUN: cmp %t.interp %t.translate && cmp %t.interp %t.optimize && cmp %t.interp %t.auto && grep -c 'stopped after' %t.interp | grep -x %soak{50|165}

        .text
        .globl  _start
first:  .rept   20
        addi    t0, t0, 1
        .endr
        ret
_start: li      s0, 1 << 40
loop:   .rept   40
        addi    t0, t0, 1
        .endr
        bnez    s0, 1f
        addi    t1, t1, 1
1:      .rept   40
        addi    t1, t1, 1
        .endr
        jal     first
        .rept   30
        addi    t2, t2, 1
        .endr
        jal     second
        .rept   30
        addi    t3, t3, 1
        .endr
        li      t4, 9
2:      addi    t4, t4, -1
        xor     t5, t5, t4
        bnez    t4, 2b
        addi    s0, s0, -1
        bnez    s0, loop
        li      a7, 93
        ecall
second: .rept   20
        addi    t3, t3, 1
        .endr
        ret
