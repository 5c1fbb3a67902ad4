# Loads and stores of which some are in the scratchpad, the same ones each other time. Each of 500 rounds copies 256 bytes from memory
# to the scratchpad, back, and in memory, and a byte to the scratchpad, and reads two bytes there. Atomic accesses are in both.
        .globl  _start
_start: li      s2, 500
1:      la      a0, array
        li      a1, 0x40000000
        call    copy
        li      a0, 0x40000000
        la      a1, other
        call    copy
        la      a0, array
        la      a1, other
        call    copy
        la      t0, chars
        li      t1, 0x40000000 + 512
        lbu     t2, (t0)
        sb      t2, (t1)
        lhu     t3, 4(t1)
        mv      a2, t1
        call    exchange
        la      a2, array
        call    exchange
        addi    s2, s2, -1
        bnez    s2, 1b
        li      a0, 0
        li      a7, 93
        ecall
copy:   li      a2, 16
2:      ld      a3, (a0)
        fld     fa0, 8(a0)
        sd      a3, (a1)
        fsd     fa0, 8(a1)
        addi    a0, a0, 16
        addi    a1, a1, 16
        addi    a2, a2, -1
        bnez    a2, 2b
        ret
exchange:
        amoadd.w a3, a2, (a2)
        lr.d    a3, (a2)
        sc.d    a3, a3, (a2)
        ret
        .data
        .balign 8
array:  .zero 256
chars:  .byte 7
        .balign 8
other:  .zero 256
