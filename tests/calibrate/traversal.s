# The class traversal: the register is ready when the instruction before commits.
        .include "calibrate.inc"
        kernel
        la      a0, memory
        mark
        settle  a0
        addi    a0, a0, 0
        addi    a0, a0, 0
        tbase   0, a0
        mark
        end_kernel
