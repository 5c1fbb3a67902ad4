# An executable linked by GNU ld, with relaxed addresses and hints, and the same without symbols.
#
# RUN: %gas -march=rv64imafd %s -o %t.o
# RUN: %gld %t.o --defsym outside=0x10000 -o %t
# RUN: sh %S/Inputs/compare.sh %gobjdump %tobjdump %t
# RUN: %tobjdump -d %t | FileCheck %s
# RUN: riscv64-linux-gnu-strip %t -o %t.stripped
# RUN: %tobjdump -d %t.stripped | FileCheck %s --check-prefix=STRIPPED
# RUN: %gobjdump -d -M no-aliases %t.stripped > %t.gnu
# RUN: %tobjdump -d -M no-aliases %t.stripped | diff %t.gnu -

        .text
        .globl  _start
# CHECK: {{^}}00000000000{{[0-9a-f]+}} <_start>:
# STRIPPED: {{^}}00000000000{{[0-9a-f]+}} <.text>:
_start: la      a0, word
# CHECK: auipc a0,0x1
# CHECK-NEXT: add a0,a0,{{[0-9]+}} # {{[0-9a-f]+}} <__DATA_BEGIN__>
        lla     a1, far
        call    outside
# CHECK: jal 10000 <outside>
# STRIPPED: jal 0x10000
        tail    outside
1:      beq     a0, a1, 1b
        beqz    a0, 2f
        j       2f
        lui     a5, %hi(word)
        addi    a5, a5, %lo(word)
        lw      a6, %lo(word)(a5)
        sw      a6, 8(tp)
# CHECK: sw a6,8(tp) # 8 <outside-0xfff8>
        lw      a6, 8(zero)
        fence
        fence   r, w
        fence.tso
        li      a0, 0x12345678
2:      ret
        .word   0xffffffff
        .half   1
        .half   3
        .type   tail_function, @function
tail_function:
        jalr    t1, 12(a0)
        jr      8(t0)
        fadd.s  fa0, fa1, fa2, rtz
        csrr    a0, 0x123
        csrw    fcsr, a0

        .data
word:   .word   1
far:    .dword  2
        .string "hello"
        .bss
        .space  8
