# The cold part of native code is less than 128 KB from the instructions that jump there on a condition. Processors predict such a jump that is taken now
# and then, as at the end of each line of this walk, better than one to a place farther away.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o && %temu --show-native=loop %t > %t.native
# RUN: %python -c "import re; jumps = [[int(x, 16) for x in found] for found in re.findall(r'([0-9a-f]+)  (?:j[a-ln-z]+|b[.][a-z]+|[ct]bn?z) .*?0x([0-9a-f]+)', open('%t.native').read())]; assert len(jumps) > 2 and all(abs(at - to) < 1 << 17 for at, to in jumps), jumps"
        .globl  _start, loop
_start: la      s0, data
        li      s1, 9000
        li      t0, 64
        li      t1, 128
        tbase   1, s0
        tset.init 1, 0, 0
        tset.step 1, 0, 4
        tset.end 1, 0, t0
        tset.init 1, 1, 0
        tset.step 1, 1, t0
        tset.end 1, 1, t1
round:  tinit   1
        li      s2, 32
loop:   tlw     a3, 1
        add     s3, s3, a3
        addi    s2, s2, -1
        bnez    s2, loop
        addi    s1, s1, -1
        bnez    s1, round
        li      a0, 0
        li      a7, 93
        ecall

        .bss
        .balign 4
data:   .zero   128
