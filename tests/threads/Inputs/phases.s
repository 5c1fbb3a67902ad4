# Three threads in one loop, each an instruction behind the one before.
        .include "all_work.inc"
work:   beqz a1, begin
        addi a1, a1, -1
        beqz a1, begin
        nop
begin:  li t0, 100000
loop:   addi a0, a0, 1
        addi t0, t0, -1
        bnez t0, loop
        texit zero
