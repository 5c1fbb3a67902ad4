# The matrix unit in every element type, from source to statistics: small numbers, which all types can represent, are converted from f32,
# multiplied, scaled by a half and converted back. Then an i8 sum exceeds 32 bits. All sums are exact, so another machine prints the same.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --print 'converted_f16:f16[9]' --print 'converted_bf16:bf16[9]' --print 'converted_e4m3:e4m3[9]' --print 'converted_e5m2:e5m2[9]' \
# RUN:     --print 'converted_i8:i8[9]' --print 'product_f16:f32[2]' --print 'product_bf16:f32[2]' --print 'product_e4m3:f32[2]' \
# RUN:     --print 'product_e5m2:f32[2]' --print 'product_i8:i32[2]' --print 'rows_f16:f32[3]' --print 'rows_i8:i32[3]' --print 'square_e4m3:f32[2][2]' \
# RUN:     --print 'square_i8:i32[2][2]' --print 'back_f16:f32[9]' --print 'back_bf16:f32[9]' --print 'back_e4m3:f32[9]' --print 'back_e5m2:f32[9]' \
# RUN:     --print 'back_i8:f32[9]' --print 'floats:f32[2]' --print 'wrapped:i32[1]' --stats %t > %t.out 2> %t.stats
# RUN: FileCheck %s < %t.out
# RUN: printf 'matrix:\n  lanes: 1\n  slaves: 7\n' > %t.yaml
# RUN: %temu --machine=%t.yaml --print 'product_f16:f32[2]' --print 'square_e4m3:f32[2][2]' --print 'back_i8:f32[9]' %t > %t.other
# RUN: %temu --print 'product_f16:f32[2]' --print 'square_e4m3:f32[2][2]' --print 'back_i8:f32[9]' %t | cmp - %t.other
# RUN: %temu --stats --stats-format=json %t 2>&1 | FileCheck --check-prefix=JSON %s
# RUN: FileCheck --check-prefix=STATS %s < %t.stats
#
# CHECK-LABEL: converted_f16:
# CHECK-SAME:  1, 2, 3, 4, 5, 6, 2, -3, 8
# CHECK-LABEL: converted_bf16:
# CHECK-SAME:  1, 2, 3, 4, 5, 6, 2, -3, 8
# CHECK-LABEL: converted_e4m3:
# CHECK-SAME:  1, 2, 3, 4, 5, 6, 2, -3, 8
# CHECK-LABEL: converted_e5m2:
# CHECK-SAME:  1, 2, 3, 4, 5, 6, 2, -3, 8
# CHECK-LABEL: converted_i8:
# CHECK-SAME:  1, 2, 3, 4, 5, 6, 2, -3, 8
# CHECK-LABEL: product_f16:
# CHECK-SAME:  20, 41
# CHECK-LABEL: product_bf16:
# CHECK-SAME:  20, 41
# CHECK-LABEL: product_e4m3:
# CHECK-SAME:  20, 41
# CHECK-LABEL: product_e5m2:
# CHECK-SAME:  20, 41
# CHECK-LABEL: product_i8:
# CHECK-SAME:  20, 41
# CHECK-LABEL: rows_f16:
# CHECK-SAME:  -10, -11, -12
# CHECK-LABEL: rows_i8:
# CHECK-SAME:  -10, -11, -12
# CHECK-LABEL: square_e4m3:
# CHECK:       22, 28
# CHECK:       49, 64
# CHECK-LABEL: square_i8:
# CHECK:       22, 28
# CHECK:       49, 64
# CHECK-LABEL: back_f16:
# CHECK-SAME:  0.5, 1, 1.5, 2, 2.5, 3, 1, -1.5, 4
# CHECK-LABEL: back_bf16:
# CHECK-SAME:  0.5, 1, 1.5, 2, 2.5, 3, 1, -1.5, 4
# CHECK-LABEL: back_e4m3:
# CHECK-SAME:  0.5, 1, 1.5, 2, 2.5, 3, 1, -1.5, 4
# CHECK-LABEL: back_e5m2:
# CHECK-SAME:  0.5, 1, 1.5, 2, 2.5, 3, 1, -1.5, 4
# CHECK-LABEL: back_i8:
# CHECK-SAME:  43, 86, -127, -84, -41, 2, 86, 127, 88
# CHECK-LABEL: floats:
# CHECK-SAME:  20, 41
# CHECK-LABEL: wrapped:
# CHECK-SAME:  1240465408
#
# JSON: "multiply_adds":600120,"multiply_adds_f32":0,"multiply_adds_f16":24,{{.*}}"multiply_adds_i8":600024,"scalings":45,"conversions":92
#
# STATS:      {{matrix: instructions +32$}}
# STATS-NEXT: {{matrix: multiply-adds +600120$}}
# STATS-NEXT: {{matrix: multiply-adds, f16 +24$}}
# STATS-NEXT: {{matrix: multiply-adds, bf16 +24$}}
# STATS-NEXT: {{matrix: multiply-adds, e4m3 +24$}}
# STATS-NEXT: {{matrix: multiply-adds, e5m2 +24$}}
# STATS-NEXT: {{matrix: multiply-adds, i8 +600024$}}
# STATS-NEXT: {{matrix: scalings +45$}}
# STATS-NEXT: {{matrix: conversions +92$}}

        # `T` of `bytes` bytes: nine floats become T; a 2x3 matrix by a vector, a vector by it, the matrix by a 3x2 one; all nine scaled
        .macro  all_of T, bytes, scalar
        la      a0, converted_\T
        la      a1, source
        mcvt.\T\().f32 a0, a1, 9
        addi    a2, a0, 6 * \bytes
        la      a3, product_\T
        mmv.\T  a3, 2, a0, a2, 3
        addi    a2, a0, 6 * \bytes
        la      a3, rows_\T
        vmm.\T  a3, 3, a2, 2, a0
        la      a3, square_\T
        mm.\T   a3, a0, a0, 2, 3, 2
        la      a3, scaled_\T
        mms.\T  a3, a0, 9, \scalar
        la      a4, back_\T
        mcvt.f32.\T a4, a3, 9
        .pushsection .spm.results
converted_\T:
        .zero   20
product_\T:
        .zero   8
rows_\T:
        .zero   12
square_\T:
        .zero   16
scaled_\T:
        .zero   20
back_\T:
        .zero   36
        .popsection
        .endm

        .section .spm.results, "aw", @nobits
        .balign 4
source: .zero   36

        .text
        .globl  _start
_start:
        la      a0, source
        la      a1, numbers
        dma.ld  a0, a1, 36
        li      t0, 0x3f000000          # 0.5
        fmv.w.x fa0, t0
        li      s1, 43                  # for i8: modulo 2^8
        all_of  f16, 2, fa0
        all_of  bf16, 2, fa0
        all_of  e4m3, 1, fa0
        all_of  e5m2, 1, fa0
        all_of  i8, 1, s1
        la      a0, floats
        la      a1, product_i8
        mcvt.f32.i32 a0, a1, 2
        la      a0, wrapped             # -128 * -128, 600000 times, modulo 2^32
        la      a1, filled
        li      a2, 0x80808080
        li      a3, 600000 / 4
        mv      a4, a1
1:      sw      a2, 0(a4)
        addi    a4, a4, 4
        addi    a3, a3, -1
        bnez    a3, 1b
        li      a3, 600000
        mmv.i8  a0, 1, a1, a1, a3
        li      a7, 93
        li      a0, 0
        ecall

        .section .spm.results
floats: .zero   8
wrapped:
        .zero   4
filled: .zero   600000

        .data
        .balign 4
numbers:
        .float  1, 2, 3                 # 2x3, or 3x2
        .float  4, 5, 6
        .float  2, -3, 8                # a vector of 3, or of 2
