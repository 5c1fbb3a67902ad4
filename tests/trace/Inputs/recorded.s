# Instructions whose effects differ from one execution to the next, for more than a segment of a lossless trace: flags that are raised or not,
# conditional stores, registers that are hard-wired, code that changes itself, and calls of the environment.
.option arch, rv64gc
.section .code, "awx"
.globl _start
_start:
    la s0, data
    li s1, 2600
    la s2, patched
    la s3, words
    la s4, numbers
loop:
    andi t0, s1, 7
    slli t1, t0, 3
    add t1, t1, s0
    lb a0, 0(t1)
    lbu a1, 1(t1)
    lh a2, 2(t1)
    lhu a3, 0(t1)
    lw a4, 0(t1)
    lwu a5, 4(t1)
    ld a6, 0(t1)
    ld zero, 0(t1)
    lw a7, 3(t1)
    addi zero, a0, 1
    sb a0, 64(t1)
    sh a1, 72(t1)
    sw a2, 80(t1)
    sd a6, 88(t1)
    amoadd.w t2, a0, (t1)
    amoswap.d zero, a6, (t1)
    lr.d t3, (t1)
    beqz t0, 1f
    sd t3, 0(t1)
1:
    sc.d t4, t3, (t1)
    sc.d t4, t3, (t1)
    fld ft0, (s4)
    fld ft1, 8(s4)
    fadd.d ft2, ft0, ft1
    bnez t0, 2f
    fdiv.d ft2, ft0, ft1
2:
    fcvt.d.l ft3, s1
    fdiv.d ft4, ft3, ft1
    fcvt.s.d ft5, ft4
    fsw ft5, 16(s4)
    flw ft6, 16(s4)
    feq.d t5, ft3, ft4
    fmv.x.d t6, ft4
    csrr t6, fflags
    csrw fflags, zero
    andi t1, s1, 1
    slli t1, t1, 2
    add t1, t1, s3
    lw t1, 0(t1)
    andi t2, s1, 63
    bnez t2, patched
    sw t1, 0(s2)
    .option push
    .option norvc
    .balign 4
patched:
    addi a0, a0, 1
    .option pop
    bnez t2, 3f
    li a0, 1
    mv a1, s0
    li a2, 0
    li a7, 64
    ecall
3:
    jal ra, function
    addi s1, s1, -1
    bnez s1, loop
    li a0, 0
    li a7, 93
    ecall
function:
    la t0, back
    jr t0
back:
    ret
    .option norvc
    .balign 4
words:
    addi a0, a0, 2
    ld a0, 0(s0)
.data
    .balign 8
data:
    .dword 0x8000000000000000, 0x7f, 0x80ff, 0xffffffff80000000, 0x123456789abcdef0, -1, 0, 0x8081828384858687
    .zero 256
numbers:
    .double 1.0, 3.0, 0.0
