# The range of a tile in memory goes from its first row to the end of its last one, so rows between those of another tile conflict.
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && echo 'timing: {dma: {engines: 4}}' > %t.yaml
# RUN: not %temu --machine=%t.yaml --pipeline=%t.txt %t && grep dma.st2 %t.txt | FileCheck %s
# CHECK: war of 5
    .globl _start
_start:
    la s0, mem
    li s1, 0x40000000
    li s2, 0x40001000
    li s3, 128
    dma.ld2 s1, s0, 4, 16, s3
    addi s0, s0, 32
    dma.st2 s2, s0, 4, 16, s3
    unimp
    .bss
mem: .zero 4096
