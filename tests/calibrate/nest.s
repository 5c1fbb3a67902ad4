# K6: when the first address of a nest is ready.
        .include "calibrate.inc"
        .include "tensor.inc"
        kernel
        la      a0, .Lnest
        mark
        settle  a0
        tnest   0, a0
        tflw    fa0, 0
        fmv.x.w a2, fa0
        settle  a2
        mark
        end_kernel
        .data
        .balign 8
.Lnest: .word   1, 0
        nest_array TENSOR, memory, FLOAT, 8, 1, 4, 8
