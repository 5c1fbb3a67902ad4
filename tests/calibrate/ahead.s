# K6: addresses that are ready for a row. The unit has time to locate as many as it keeps, then they are used; and once more while the
# other rows begin their walks.
        .include "calibrate.inc"
        .macro  use
        .rept   140
        tflw    fa0, 0
        .endr
        .endm
        kernel
        la      a0, memory
        li      a1, 1024
        .irp    row, 0, 1, 2, 3, 4, 5
        tset.step \row, 0, 4
        tset.end \row, 0, a1
        tbase   \row, a0
        .endr
        fence
        tinit   0
        .rept   200
        nop
        .endr
        use
        fence
        tinit   0
        .rept   200
        nop
        .endr
        .irp    row, 1, 2, 3, 4, 5
        tinit   \row
        .endr
        use
        end_kernel
