# The class system: the register is ready when the instruction before commits.
        .include "calibrate.inc"
        kernel
        li      a0, 0
        mark
        addi    a0, a0, 0
        addi    a0, a0, 0
        csrw    fflags, a0
        mark
        end_kernel
