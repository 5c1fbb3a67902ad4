# Comparisons that save and restore the flags, as compilers write them.
        .include "all_work.inc"
work:   li t0, 20000
loop:   fcvt.d.l fa0, t0
        frflags a4
        flt.d a5, fa0, fa1
        fsflags a4
        bnez a5, loop
        addi t0, t0, -1
        bnez t0, loop
        texit zero
