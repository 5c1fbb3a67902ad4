# One program in the three trace formats. The text is checked line by line. The json has the same contents (tdiff compares them), and each of
# its lines is an object.
#
# RUN: %tasm -o %t.o %s && %tld -o %t -Ttext=0x10000 --section-start=.data=0x20000 %t.o
# RUN: %temu --trace=%t.text %t
# RUN: FileCheck %s --strict-whitespace --match-full-lines < %t.text
# RUN: %temu --trace=%t.json --trace-format=json %t
# RUN: %python -c "import json, sys; print(len([json.loads(line) for line in open(sys.argv[1])]), 'lines')" %t.json | FileCheck %s --check-prefix=COUNT
# COUNT: 20 lines
# RUN: FileCheck %s --check-prefix=JSON < %t.json
# RUN: %tdiff %t.text %t.json
# RUN: %temu --trace %t 2> %t.stderr
# RUN: cmp %t.text %t.stderr
# RUN: %temu --trace=%t.spike --trace-format=spike %t
# RUN: FileCheck %s --check-prefix=SPIKE --strict-whitespace --match-full-lines < %t.spike

        .text
        .globl  _start
_start: la      a0, numbers
        fld     fa0, 0(a0)
        fdiv.d  fa1, fa0, fa0
        flw     ft0, 8(a0)
        fsqrt.s ft1, ft0
        frflags t0
        fscsr   zero
        li      t1, -1
        sb      t1, 17(a0)
        lhu     t2, 16(a0)
        li      a1, 0x40000000
loop:   dma.ld  a1, a0, 16
        f32v4hist f8:f11, f12:f15
        tset.step 1, 0, 8
        bnez    zero, loop
        li      a7, 93
        li      a0, 0
        ecall

        .data
numbers:
        .double 2.5
        .float  2.0
        .balign 8
        .dword  0

#      CHECK:# tensor-trace 1 text program={{[0-9a-f]+}} entry=0x10000 isa={{[0-9a-f]+}} machine={{[0-9a-f]+}}
# CHECK-NEXT:       0 0x0000000000010000 <_start>                00010517          auipc a0,0x10                        | a0=0x20000
# CHECK-NEXT:       1 0x0000000000010004 <_start+0x4>            00050513          mv a0,a0                             | a0=0x20000
# CHECK-NEXT:       2 0x0000000000010008 <_start+0x8>            2108              fld fa0,0(a0)                        | load8[0x20000]=0x4004000000000000 fa0=0x4004000000000000
# CHECK-NEXT:       3 0x000000000001000a <_start+0xa>            1aa575d3          fdiv.d fa1,fa0,fa0                   | fa1=0x3ff0000000000000
# CHECK-NEXT:       4 0x000000000001000e <_start+0xe>            00852007          flw ft0,8(a0)                        | load4[0x20008]=0x40000000 ft0=0xffffffff40000000
# CHECK-NEXT:       5 0x0000000000010012 <_start+0x12>           580070d3          fsqrt.s ft1,ft0                      | ft1=0xffffffff3fb504f3 fflags=0x1
# CHECK-NEXT:       6 0x0000000000010016 <_start+0x16>           001022f3          frflags t0                           | t0=0x1
# CHECK-NEXT:       7 0x000000000001001a <_start+0x1a>           00301073          fscsr zero                           | fcsr=0x0
# CHECK-NEXT:       8 0x000000000001001e <_start+0x1e>           537d              li t1,-1                             | t1=0xffffffffffffffff
# CHECK-NEXT:       9 0x0000000000010020 <_start+0x20>           006508a3          sb t1,17(a0)                         | store1[0x20011]=0xff
# CHECK-NEXT:      10 0x0000000000010024 <_start+0x24>           01055383          lhu t2,16(a0)                        | load2[0x20010]=0xff00 t2=0xff00
# CHECK-NEXT:      11 0x0000000000010028 <_start+0x28>           400005b7          lui a1,0x40000                       | a1=0x40000000
# CHECK-NEXT:      12 0x000000000001002c <loop>                  {{[0-9a-f]+}}  dma.ld a1,a0,16                      | read[0x20000+0x10] write[0x40000000+0x10]#{{[0-9a-f]+}}
# CHECK-NEXT:      13 0x0000000000010034 <loop+0x8>              {{[0-9a-f]+}}          f32v4hist fs0:fa1,fa2:fa5            | fs0=0xffffffff00000004 fs1=0xffffffff00000004 fa0=0xffffffff00000004 fa1=0xffffffff00000004
# CHECK-NEXT:      14 0x0000000000010038 <loop+0xc>              {{[0-9a-f]+}}          tset.step 1,0,8                      | traversal.dimensions[1]=0x1 traversal.step[1][0]=0x8
# CHECK-NEXT:      15 0x000000000001003c <loop+0x10>             fe0018e3          bnez zero,1002c <loop>
# CHECK-NEXT:{{ +}}16 {{.*}} li a7,93                             | a7=0x5d
# CHECK-NEXT:{{ +}}17 {{.*}} li a0,0                              | a0=0x0
# CHECK-NEXT:{{ +}}18 {{.*}} ecall                                | trap=8:0x0

# JSON: {"format":"tensor-trace","version":1,"program":"{{[0-9a-f]+}}","entry":"0x10000","isa":"{{[0-9a-f]+}}","machine":"{{[0-9a-f]+}}"}
# JSON-NEXT: {"sequence":0,"pc":"0x10000","symbol":"_start","offset":"0x0","encoding":"0x00010517","disassembly":"auipc a0,0x10","effects":[{"register":"a0","value":"0x20000"}]}
# JSON: "disassembly":"fld fa0,0(a0)","effects":[{"load":"0x20000","size":8,"value":"0x4004000000000000"},{"register":"fa0","value":"0x4004000000000000"}]}
# JSON: "disassembly":"fscsr zero","effects":[{"csr":"fcsr","value":"0x0"}]}
# JSON: "effects":[{"read":"0x20000","length":"0x10"},{"write":"0x40000000","length":"0x10","digest":"{{[0-9a-f]+}}"}]}
# JSON: "disassembly":"ecall","effects":[],"trap":{"cause":8,"value":"0x0"}}

#      SPIKE:core   0: 0 0x0000000000010000 (0x00010517) x10 0x0000000000020000
# SPIKE-NEXT:core   0: 0 0x0000000000010004 (0x00050513) x10 0x0000000000020000
# SPIKE-NEXT:core   0: 0 0x0000000000010008 (0x2108) f10 0x4004000000000000 mem 0x0000000000020000
# SPIKE-NEXT:core   0: 0 0x000000000001000a (0x1aa575d3) f11 0x3ff0000000000000
# SPIKE-NEXT:core   0: 0 0x000000000001000e (0x00852007) f0  0xffffffff40000000 mem 0x0000000000020008
# SPIKE-NEXT:core   0: 0 0x0000000000010012 (0x580070d3) f1  0xffffffff3fb504f3 c1_fflags 0x0000000000000001
# SPIKE-NEXT:core   0: 0 0x0000000000010016 (0x001022f3) x5  0x0000000000000001
# SPIKE-NEXT:core   0: 0 0x000000000001001a (0x00301073) c1_fflags 0x0000000000000000 c2_frm 0x0000000000000000
# SPIKE-NEXT:core   0: 0 0x000000000001001e (0x537d) x6  0xffffffffffffffff
# SPIKE-NEXT:core   0: 0 0x0000000000010020 (0x006508a3) mem 0x0000000000020011 0xff
# SPIKE-NEXT:core   0: 0 0x0000000000010024 (0x01055383) x7  0x000000000000ff00 mem 0x0000000000020010
# SPIKE-NEXT:core   0: 0 0x0000000000010028 (0x400005b7) x11 0x0000000040000000
# SPIKE-NEXT:core   0: 0 0x000000000001002c (0x{{[0-9a-f]+}})
# SPIKE-NEXT:core   0: 0 0x0000000000010034 (0x{{[0-9a-f]+}}) f8  0xffffffff00000004 f9  0xffffffff00000004 f10 0xffffffff00000004 f11 0xffffffff00000004
