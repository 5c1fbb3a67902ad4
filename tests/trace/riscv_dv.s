# The CSV of riscv-dv: its columns, and that the registers are those of the JSON trace. A lossless trace is converted to the same bytes.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.csv --trace-format=riscv-dv --trace-insns=100 %t && FileCheck %s < %t.csv
# RUN: %temu --trace=%t.ttrace %t && %temu --trace=%t.whole --trace-format=riscv-dv %t && %ttrace convert --to=riscv-dv %t.ttrace | cmp - %t.whole
# RUN: %temu --trace=%t.json --trace-format=json %t && %python %S/Inputs/riscv_dv.py %t.whole %t.json
#
# CHECK: {{^}}pc,instr,gpr,csr,binary,mode,instr_str,operand,pad{{$}}
# CHECK-NEXT: {{^[0-9a-f]+}},c.li,a0:0000000000000005,,4515,0,"li a0,5","a0,5",{{$}}
# CHECK-NEXT: {{^[0-9a-f]+}},fcvt.d.w,fa0:4014000000000000,,d2050553,0,"fcvt.d.w fa0,a0","fa0,a0",{{$}}
# CHECK: {{^[0-9a-f]+}},fdiv.d,fa1:3ff{{[0-9a-f]+}},fflags:0000000000000001,{{.*}}
# CHECK-NEXT: {{^[0-9a-f]+}},csrrw,a1:0000000000000001,fflags:0000000000000000,001015f3,0,"fsflags a1,zero","a1,zero",{{$}}

        .globl _start
_start: li a0, 5
        fcvt.d.w fa0, a0
        li a2, 3
        fcvt.d.w fa2, a2
        fdiv.d fa1, fa0, fa2
        fsflags a1, zero
        la a3, words
        ld a4, 0(a3)
        sd a4, 8(a3)
        li a0, 0
        li a7, 93
        ecall
        .data
        .balign 8
words:  .quad 7, 8
