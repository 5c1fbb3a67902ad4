# Data of a type that a file outside the tree adds, with all forms of its directives.
        .globl  weights, vector
        .data
weights:
        .e3m4   1.5, 0x1p-2, -0.1, 2
vector:
        .e3m4   2, 4
        .balign 16
low:    .low    1, -1.5
        .lower  0f:7f
        .dcb.low 3, 2
        .balign 16
        .e3m4   0f:7, 0f1.5, -inf, 99
        .e5m0   nan, 3, inf
        .e2m1   -8
