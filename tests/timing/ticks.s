# A timer of the host ends native code now and then by taking away the instructions that are left (emu/native/guard.c). The counts of
# blocks stay right: this loop takes 71 cycles and 41 instructions in 8 rounds, in a run with several ticks as in a short one.
#
# RUN: for count in 80000 120000000; do %tasm --defsym COUNT=$count -o %t.o %s && %tld -Ttext=0x80000000 -o %t.$count %t.o || exit 1; done
# RUN: %temu --env=bare --tier=interp --timing %t.80000 2>&1 | grep '^710008 cycles, 410008 instructions,'
# RUN: %temu --env=bare --timing %t.120000000 2>&1 | grep '^1065000008 cycles, 615000008 instructions,'
        .globl _start
_start: li s1, COUNT
        la s0, data
1:      andi t0, s1, 7
        bnez t0, 2f
        mul s3, s1, s1
2:      ld t1, 0(s0)
        addi s1, s1, -1
        bnez s1, 1b
        la t0, tohost
        li t1, 1
        sd t1, 0(t0)
3:      j 3b
        .data
        .balign 8
data:   .dword 5
        .globl tohost
tohost: .dword 0
