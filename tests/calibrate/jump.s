# The class jump: the register is ready when the instruction before commits.
        .include "calibrate.inc"
        kernel
        la      a0, target - 1
        mark
        settle  a0
        addi    a0, a0, 0
        addi    a0, a0, 1
        jr      a0
target:
        mark
        end_kernel
