# void histogram_loop(uint32_t bins[4], const float *values, unsigned long count): counts the values into the bins, four at a time.
    .globl  histogram_loop
    .type   histogram_loop, @function
histogram_loop:
    flw     ft0, 0(a0)
    flw     ft1, 4(a0)
    flw     ft2, 8(a0)
    flw     ft3, 12(a0)
    slli    a2, a2, 2
    add     a2, a1, a2                      # the end of the values
1:  flw     ft4, 0(a1)
    flw     ft5, 4(a1)
    flw     ft6, 8(a1)
    flw     ft7, 12(a1)
    f32v4hist ft0:ft3, ft4:ft7
    addi    a1, a1, 16
    bne     a1, a2, 1b
    fsw     ft0, 0(a0)
    fsw     ft1, 4(a0)
    fsw     ft2, 8(a0)
    fsw     ft3, 12(a0)
    ret
    .size   histogram_loop, . - histogram_loop
