# Relocations of data that assemblers write rarely: distances to functions and to GOT entries, thread-local offsets, the six bits of
# a call frame instruction. The program checks each value and exits with the number of the first check that fails.
# (GNU as has no name for some of the types: those are written as another one and changed.)
#
# RUN: %gas -march=rv64gc -o %t.o %s && %python %S/Inputs/retype.py %t.o 40=59 36=41
# RUN: for option in --relax --no-relax; do %tld $option -o %t %t.o && %qemu %t; test $? = 99 || exit 1; done
# RUN: %greadelf -x .six %t | FileCheck --check-prefix=SIX %s
# SIX: 0x{{[0-9a-f]+}} 43c280
#
# Relocations that only a dynamic linker applies are refused by name.
# RUN: %gas -march=rv64gc -o %t.o %s && %python %S/Inputs/retype.py %t.o 9=11 && not %tld -o %t.none %t.o 2>&1 | FileCheck --check-prefix=DYNAMIC %s
# DYNAMIC: error: relocation R_RISCV_TLS_TPREL64 is for dynamic linkers only, expected none in an object
# RUN: %gas -march=rv64gc -o %t.o %s && %python %S/Inputs/retype.py %t.o 9=58 && not %tld -o %t.none %t.o 2>&1 | FileCheck --check-prefix=RESOLVE %s
# RESOLVE: error: relocation R_RISCV_IRELATIVE is for dynamic linkers only, expected none in an object
    .globl  _start
_start:
    la      s0, values
    lw      t0, 0(s0)        # a distance to a function leads to it
    addi    t1, s0, 0
    add     t0, t0, t1
    jalr    t0
    li      t1, 77
    li      a0, 1
    bne     a1, t1, fail
    lw      t0, 8(s0)        # a distance to a GOT entry, with an addend: the entry holds the address
    addi    t1, s0, 8 - 4
    add     t0, t0, t1
    ld      t0, 0(t0)
    la      t1, function
    li      a0, 2
    bne     t0, t1, fail
    lw      t0, 16(s0)   # a distance to data
    addi    t1, s0, 16
    add     t0, t0, t1
    li      a0, 3
    bne     t0, s0, fail
    ld      t0, 24(s0)     # an offset from 0x800 into the thread-local block
    li      t1, 16 - 0x800
    li      a0, 4
    bne     t0, t1, fail
    lw      t0, 20(s0)
    li      a0, 5
    bne     t0, t1, fail
    li      a0, 99
fail:
    li      a7, 93
    ecall
start:
    c.nop
end:
function:
    li      a1, 77
    ret
    .data
    .p2align 3
values:
    .reloc  plt, R_RISCV_SUB64, function        # becomes PLT32
plt:
    .dword  0
    .reloc  got, R_RISCV_ADD64, function + 4    # becomes GOT32_PCREL
got:
    .dword  0
    .reloc  distance, R_RISCV_32_PCREL, values
distance:
    .word   0
dtprel32:
    .dtprelword variable
dtprel:
    .dtpreldword variable
    .section .six, "aw"
    .set    three, 3
    .reloc  ., R_RISCV_SET6, three
    .byte   0x40
    .reloc  ., R_RISCV_SET6, end
    .reloc  ., R_RISCV_SUB6, start
    .byte   0xc0
    .reloc  ., R_RISCV_SUB6, three
    .byte   0x83
    .section .tbss, "awT", @nobits
    .skip   16
variable:
    .skip   8
