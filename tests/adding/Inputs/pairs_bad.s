        .data
        .c64 1.5
        .c64 1, 2, 3
        .dcb.c64 2, 1
        .c64 1, x
        .c32 1e9, 0
        .s8x2 1, 256
        .s8x2 later, 1
        .dcb.c64 1, 2, 3, 4
