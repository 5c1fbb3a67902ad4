# Operands at fault trap at once with the timing, too: it does not walk through the rows of a tile or the elements of a matrix that cannot be.
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: for i in 0 1 2 3; do not %temu --timing %t $i > %t.out 2>&1; grep -q 'SIG' %t.out && grep -q ' cycles, ' %t.out || exit 1; done
# RUN: %tobjdump --timing %t | FileCheck %s
# CHECK: <_start>: {{.*}} cycles
    .globl _start
_start:
    ld t0, 16(sp)
    lbu t0, 0(t0)
    addi t0, t0, -48
    li s0, 0x40000000
    la s1, memory
    li s2, 1
    slli s2, s2, 60
    li s3, 1
    slli s3, s3, 31
    beqz t0, rows
    addi t0, t0, -1
    beqz t0, bytes
    addi t0, t0, -1
    beqz t0, matrix
    mm.f32 s0, s0, s0, s3, 0, 8
rows:
    dma.ld2 s0, s1, s2, 8, 0
    ebreak
bytes:
    dma.ld s0, s1, s2
    ebreak
matrix:
    mm.f32 s0, s0, s0, s2, 2, 2
    ebreak
    .bss
memory: .zero 64
