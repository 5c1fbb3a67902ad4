# All instructions on the CSRs of floating point have stencils, with what they read and write in registers of the host or in memory, and also the same for
# both. The results are those of qemu.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --tier=optimize --show-native=loop %t | tr -d '\0' > %t.out
# RUN: grep -aq 'csrrc  *t5,fcsr,a5 ' %t.out && not grep -a 'call of' %t.out
# RUN: for tier in interp auto optimize; do %temu --tier=$tier %t > %t.$tier; done
# RUN: %qemu %t > %t.qemu && cmp %t.qemu %t.interp && cmp %t.qemu %t.auto && cmp %t.qemu %t.optimize

        .globl _start
        .macro  put register
        sd      \register, 0(s1)
        addi    s1, s1, 8
        .endm
_start: li      s0, 100
        la      s1, results
        li      a5, 0x12345
        li      t5, -1
loop:   csrrw   a5, fcsr, a5
        put     a5
        csrrs   t5, fflags, s0
        put     t5
        csrrs   a4, frm, t5
        put     a4
        csrrc   t5, fcsr, a5
        put     t5
        csrrc   a3, fflags, s0
        put     a3
        csrrwi  t6, frm, 3
        put     t6
        csrrsi  a2, fflags, 21
        put     a2
        csrrci  s11, fcsr, 17
        put     s11
        frflags s10
        put     s10
        csrrwi  x0, fflags, 9
        frcsr   a1
        put     a1
        csrrci  a0, frm, 0
        put     a0
        csrrsi  a6, fcsr, 0
        put     a6
        fsrm    a5
        csrrc   x0, frm, s0
        csrrs   x0, fcsr, a4
        csrrw   x0, fflags, x0
        csrrs   a7, fcsr, x0
        put     a7
        csrrc   t4, fcsr, x0
        put     t4
        mul     a5, a5, s1
        add     a5, a5, s0
        addi    s0, s0, -1
        bnez    s0, loop
        li      a0, 1
        la      a1, results
        sub     a2, s1, a1
        li      a7, 64
        ecall
        li      a0, 0
        li      a7, 93
        ecall

        .bss
        .balign 8
results: .zero  16384
