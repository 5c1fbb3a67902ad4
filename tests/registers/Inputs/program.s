# Writes a register of each file. The session is for gdb.
#
# GDB: break stop
# GDB: continue
# GDB: info registers p33
# GDB: print/x $q2
# GDB: print/x $sum.u64
# GDB: print/x $acc2.u32
# GDB: print sizeof($left)
# GDB: print/x $left.u64[31]
# GDB: print/x $w1.u64
# GDB: info registers q
# GDB: set $q2.u8[1] = 0xff
# GDB: set $p33 = 7
# GDB: set $acc3.u16[5] = 0xabcd
# GDB: set $w1.u64[1] = 99
# GDB: set $w0.u64[1] = 99
# GDB: set $right.u8[255] = 0x5a
# GDB: print/x $acc3.u32
# GDB: print/x $w0.u64
# GDB: print/x $right.u64[31]
# GDB: stepi 3
# GDB: print/x $a1
# GDB: print $a2
# GDB: print $a3
# GDB: kill
    .globl _start
_start:
    la s1, data
    acc.load acc1, (s1)
    acc.load sum, (s1)
    acc.add acc2, acc1, acc0
    li a0, 0x12345678
    q.set q2, a0
    p.move p33, 61
    p.turn p32:p35
    p.turn p32:p35
    p.turn p32:p35
    p.turn p32:p35
    w.set w1, a0, a0
    w.set w0, a0, a0
    big.fill left, acc1
stop:
    q.get a1, q2
    p.get a2, p33
    w.get a3, w1, 1
    .ifdef FAULT
    acc.store acc2, (zero)
    .endif
    li a0, 0
    li a7, 93
    ecall
    .data
    .balign 8
    .globl data
data:
    .quad 0x1111111122222222, 2, 3, 4, 5, 6, 7, 0x8877665544332211
