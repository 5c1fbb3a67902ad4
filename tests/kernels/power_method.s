# The power method: multiplying a vector by a matrix again and again turns it toward the eigenvector of the largest eigenvalue.
#
#     repeat: y = A x,  eigenvalue = |y|,  x = y / |y|      until the eigenvalue no longer moves
#
# A[i][j] = min(i, j) + 1 for 20 x 20, whose largest eigenvalue is known: 1 / (4 sin^2(pi / 82)) = 170.4…
#
# It shows
#   mmv.f32       A x; and, with a matrix of one line, the inner product y·y (both operands are the same vector)
#   mms.f32       a vector times a number that comes from an f register; input and output are the same vector
#   fsqrt.s …     scalar floating point beside the units; scalar stores straight into the scratchpad
#
# Data
#   matrix, x, y, square   scratchpad, f32
#   eigenvalue    f32 in main memory; `steps`: u32; `vector`: the eigenvector, f32[20], moved there by dma.st
#
# By hand: tasm -o p.o power_method.s && tld -o p p.o && temu --print eigenvalue:f32 --print steps:u32 p
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print eigenvalue:f32 --print steps:u32 --print vector:f32[20] \
# RUN:     --dump eigenvalue:8=%t.value --dump vector:80=%t.vector --trace=%t.trace --trace-from=step --trace-insns=48 %t > %t.out
# RUN: %python %tools/reference.py power_method %t.value %t.vector
# RUN: %python %tools/golden.py %S/power_method.expected %t.out
# RUN: %python %tools/golden.py %S/power_method.trace %t.trace
#
# GNU ld links the object too. It has to be told where the scratchpad is.
# RUN: %gld -o %t.gnu --section-start=.spm.bss=0x40000000 %t.o
# RUN: %temu --print eigenvalue:f32 --print steps:u32 --print vector:f32[20] %t.gnu > %t.gnu.out
# RUN: cmp %t.out %t.gnu.out
#
# Sums in plain order.
# RUN: echo 'matrix: {lanes: 1}' > %t.yaml
# RUN: %temu --machine %t.yaml --dump eigenvalue:8=%t.value --dump vector:80=%t.vector %t
# RUN: %python %tools/reference.py power_method --lanes 1 %t.value %t.vector

        .equ    SIZE, 20
        .equ    LIMIT, 64               # steps at most
        .equ    EXIT, 93

        .text
        .globl  _start
        .type   _start, @function
_start:
        la      s0, matrix
        la      s1, x
        la      s2, y
        la      s3, square

        call    fill

        # x = (1, …, 1)
        li      t0, 1
        fcvt.s.w fs2, t0                # 1, for the reciprocal too
        mv      a0, s1
        li      a1, SIZE
1:
        fsw     fs2, 0(a0)
        addi    a0, a0, 4
        addi    a1, a1, -1
        bnez    a1, 1b

        fmv.w.x fs0, zero               # the eigenvalue
        li      t0, 0x34800000          # 2^-22 as f32: two units in the last place, or one
        fmv.w.x fs3, t0
        li      s4, 0                   # steps
step:
        addi    s4, s4, 1
        mmv.f32 s2, SIZE, s0, s1, SIZE  # y = A x
        mmv.f32 s3, 1, s2, s2, SIZE     # square = y · y
        fmv.s   fs1, fs0
        flw     fs0, 0(s3)
        fsqrt.s fs0, fs0
        fdiv.s  fa0, fs2, fs0
        mms.f32 s1, s2, SIZE, fa0       # x = y / |y|

        fsub.s  fa0, fs0, fs1           # how far did it move?
        fabs.s  fa0, fa0
        fmul.s  fa1, fs0, fs3
        fle.s   t0, fa0, fa1
        bnez    t0, done
        li      t0, LIMIT
        blt     s4, t0, step
done:
        la      a0, eigenvalue
        fsw     fs0, 0(a0)
        sw      s4, 4(a0)
        la      a0, vector
        dma.st  s1, a0, 4 * SIZE

        li      a0, 0
        li      a7, EXIT
        ecall
        .size   _start, . - _start

# The matrix, line by line; t0 = i + 1, t1 = j + 1.
        .type   fill, @function
fill:
        mv      a0, s0
        li      a1, SIZE
        li      t0, 1
1:
        li      t1, 1
2:
        mv      t2, t0
        ble     t0, t1, 3f
        mv      t2, t1
3:
        fcvt.s.w fa0, t2
        fsw     fa0, 0(a0)
        addi    a0, a0, 4
        addi    t1, t1, 1
        ble     t1, a1, 2b
        addi    t0, t0, 1
        ble     t0, a1, 1b
        ret
        .size   fill, . - fill

        .data
        .balign 4
        .type   eigenvalue, @object
eigenvalue:
        .float  0
        .size   eigenvalue, . - eigenvalue
        .type   steps, @object
steps:  .word   0
        .size   steps, . - steps
        .type   vector, @object
vector: .zero   4 * SIZE
        .size   vector, . - vector

        .section .spm.bss, "aw", @nobits
        .balign 4
matrix: .zero   4 * SIZE * SIZE
x:      .zero   4 * SIZE
y:      .zero   4 * SIZE
square: .zero   4
