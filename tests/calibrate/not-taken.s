# The class branch: the register is ready when the instruction before commits. The branch is not taken.
        .include "calibrate.inc"
        kernel
        li      a0, 1
        mark
        settle  a0
        addi    a0, a0, 1
        addi    a0, a0, 1
        beqz    a0, .
        mark
        end_kernel
