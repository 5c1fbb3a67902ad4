# A bundle is two instructions, checked; the code is that of the two without braces.
#
# RUN: %tasm %s -o %t.o && %gobjcopy -O binary -j .text %t.o %t.bin
# RUN: sed 's/[{}]/ /g' %s >%t.plain.s && %gas -march=rv64gc %t.plain.s -o %t.gnu.o && %gobjcopy -O binary -j .text %t.gnu.o %t.gnu.bin && cmp %t.bin %t.gnu.bin
#
# RUN: not %tasm %S/Inputs/bundles.s -o %t.none 2>%t.err; FileCheck %s --match-full-lines --implicit-check-not=error: <%t.err; test ! -e %t.none
# CHECK: {{.*}}bundles.s:1:33: error: 'fadd.s' and 'fmul.s' are both of the auxiliary pipeline; expected one of the main pipeline (not of classes float, float_divide, histogram)
# CHECK: {{.*}}bundles.s:2:27: error: 'add' and 'lw' are both of the main pipeline; expected one of the auxiliary pipeline (classes float, float_divide, histogram)
# CHECK: {{.*}}bundles.s:3:8: error: 'bne' is of class branch, which cannot come first in a bundle; put it second
# CHECK: {{.*}}bundles.s:4:33: error: 'csrr' is of class system, which cannot be in a bundle; write it without one
# CHECK: {{.*}}bundles.s:5:8: error: 'fence' is of class system, which cannot come first in a bundle; write it without a bundle
# CHECK: {{.*}}bundles.s:6:28: error: 'addi' reads a0, which 'fmv.x.w' writes in the same bundle; use another register, or write them without a bundle
# CHECK: {{.*}}bundles.s:7:28: error: 'li' also writes a0, which 'fmv.x.w' writes in the same bundle; use another register, or write them without a bundle
# CHECK: {{.*}}bundles.s:8:8: error: 3 instructions in a bundle; expected two
# CHECK: {{.*}}bundles.s:9:8: error: 1 instruction in a bundle; expected two
# CHECK: {{.*}}bundles.s:10:33: error: '.word' in a bundle; expected two instructions
# CHECK: {{.*}}bundles.s:11:33: error: 'dma.ld' is of class dma, which cannot be in a bundle; write it without one
# CHECK: {{.*}}bundles.s:13:8: error: 'tset.init' is of class traversal, which cannot come first in a bundle; write it without a bundle
# CHECK: {{.*}}bundles.s:15:9: error: 'pair' in a bundle; expected two instructions
# CHECK: {{.*}}bundles.s:16:8: error: the bundle does not end; '}' is missing
#
# RUN: not %tasm %S/Inputs/bundles_nested.s -o %t.none 2>&1 | FileCheck %s --check-prefix=NESTED
# NESTED: bundles_nested.s:2:9: error: a bundle in a bundle; expected '}' before it
# NESTED: bundles_nested.s:1:1: note: the bundle begins here
#
# The last instruction of a bundle that does not end is made again when its target is known.
# RUN: printf '{ j 1f\n1:\n' >%t.open.s; not %tasm %t.open.s -o %t.none 2>&1 | FileCheck %s --check-prefix=OPEN
# OPEN: open.s:1:1: error: the bundle does not end; '}' is missing

        .macro  two, register
        { fadd.s ft2, ft2, ft0 ; flw \register, 4(a0) }
        .endm

first:  { fadd.s ft2, ft2, ft0 ; flw ft1, 4(a0) }
loop:   { addi a0, a0, 4 ; fadd.s ft2, ft2, ft1 }   # the first one may be either
        {
          fmul.s ft3, ft2, ft2
          bne a0, a1, loop                          /* a branch comes second */
        }
        {fdiv.s ft0, ft0, ft1; j first}
        two ft4
        { fmv.x.w zero, ft0 ; li zero, 1 }          # x0 is never written
        { lw a0, 0(a0) ; fcvt.s.w ft0, a1 }
        { flw ft0, 0(a1) ; fmv.x.w a1, ft1 }        # the first one reads it before
        { fadd.s ft0, ft0, ft1 ; c.addi a0, 1 }
        .if     0
        { nop ; nop }
        .endif
