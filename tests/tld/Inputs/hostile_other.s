    .globl other
other:
    la a0, common
    ret
    .comm common, 80, 8
