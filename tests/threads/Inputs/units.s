# Workers that walk, count into bins and multiply by the shared weights. Each ends with what it found in its part of `results`.
        .globl _start
_start: la      a0, work
        li      t0, 0x40000000          # 2.0
        fmv.w.x f0, t0
        wput    0, f0
        la      a1, numbers
        li      a2, 64
        trunall a0, a1, a2
        tsync
        li      a0, 0
        li      a7, 93
        ecall

work:   tset.init 0, 0, 0
        tset.step 0, 0, 4
        tset.end 0, 0, 64
        tset.repeat 0, 1, 127
        tbase   0, a0
        tinit   0
        li      t0, 0x3c000000          # from exponent 0 on: all
        fmv.w.x f8, t0
        li      t1, 1000
loop:   tflw    f4, 0
        f32v4hist f8:f11, f4:f7
        f32v4wdot f1, f4:f7, 0
        fcvt.w.s t2, f1, rtz
        add     t3, t3, t2
        addi    t1, t1, -1
        bnez    t1, loop
        la      t0, results
        slli    t2, a1, 4
        add     t0, t0, t2
        sd      t3, 0(t0)
        fmv.x.w t2, f8
        sd      t2, 8(t0)
        texit   zero

        .data
        .balign 64
numbers:
        .rept   16
        .float  1.0
        .endr
        .rept   16
        .float  2.0
        .endr
        .rept   16
        .float  3.0
        .endr
results: .zero  16 * 3
