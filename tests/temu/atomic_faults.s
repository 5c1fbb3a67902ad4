# Atomic accesses must be aligned to their size, whether the reservation holds or not. At unmapped addresses they raise store/AMO access faults.
#
# RUN: %tasm -march=rv64ia -o %t.o %s && %tld -o %t %t.o
# RUN: sh -c '%temu %t; test $? = 135' 2>&1 | FileCheck %s --check-prefix=LR
# LR: (cause 4, address 0x{{[0-9a-f]+}}2)
# LR: instruction  1005262f  lr.w a2,(a0)
# RUN: sh -c '%temu %t 1; test $? = 135' 2>&1 | FileCheck %s --check-prefix=SC
# SC: (cause 6, address 0x{{[0-9a-f]+}}4)
# SC: instruction  18b5362f  sc.d a2,a1,(a0)
# RUN: sh -c '%temu %t 1 2; test $? = 135' 2>&1 | FileCheck %s --check-prefix=AMO
# AMO: (cause 6, address 0x{{[0-9a-f]+}}1)
# AMO: instruction  06b5262f  amoadd.w.aqrl a2,a1,(a0)
# RUN: sh -c '%temu %t 1 2 3; test $? = 139' 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: store access fault (cause 7, address 0x8: the null page): SIGSEGV
# NONE: instruction  0aa5362f  amoswap.d.rl a2,a0,(a0)

        .bss
        .balign 16
cell:   .space  16
        .text
        .globl  _start
_start: ld      s0, 0(sp)
        lla     a0, cell
        li      s1, 2
        blt     s0, s1, reserve
        beq     s0, s1, store
        li      s1, 3
        beq     s0, s1, add
        li      a0, 8
        amoswap.d.rl a2, a0, (a0)
reserve: addi   a0, a0, 2
        lr.w    a2, (a0)
store:  lr.w    a2, 0(a0)
        addi    a0, a0, 4
        sc.d    a2, a1, (a0)
add:    addi    a0, a0, 1
        amoadd.w.aqrl a2, a1, (a0)
