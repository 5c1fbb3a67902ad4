# --show-native: the program's instructions beside the code of the host.
#
# RUN: %tasm -march=rv64gc_zbc -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --tier=optimize --show-native=sum --show-native middle %t > %t.out && FileCheck %s < %t.out
# CHECK: native code of [[#%x,SUM:]] <sum>: a run of blocks from {{[0-9a-f]+}} on, {{[0-9]+}} instructions, {{[0-9]+}} bytes{{$}}
# CHECK-NEXT: registers: {{.*}}a5 in {{.*}}, others in memory
# CHECK: [[#SUM]] <sum>:
# CHECK-NEXT: [count: 9 instructions] {{[0-9a-f]+ [a-z]+ }}
# CHECK: [check: {{.*}}a0
# CHECK: ld a4,0(a0) {{[0-9a-f]+ [a-z]+}}
# CHECK: add{{i?}} a3,a3,-1
# CHECK: bnez a3,[[#%x,]] <sum+0x4>
# CHECK: [count: 3 instructions]
# CHECK: clmul a6,a2,a3 [call of its function] {{[0-9a-f]+ [a-z]+}}
# CHECK: rarely executed:
# CHECK: [limit: out at [[#SUM]] <sum>]
# CHECK: [rare case of
# CHECK: native code of [[#%x,]] <middle>: a run of blocks from {{[0-9a-f]+}} on
# On x86-64 the address of an access without an offset has no displacement, which would be one of 0.
# RUN: ! grep -q '%%rbp' %t.out || grep -E 'ld a4,0\(a0\) .* \(%%r12,%%r[a-z0-9]+,1\)' %t.out
# A jump says what it leads to.
# RUN: %temu --show-native=sum %t | grep -E -- '-> [0-9a-f]+ <sum\+0x4>$'
#
# The first column has the instructions of a run in order, as GNU objdump shows them.
# RUN: %gobjdump -d --no-show-raw-insn %t | tr '\t' ' ' > %t.gnu
# RUN: %python -c 'import re, sys; \
# RUN:   text = open(sys.argv[1]).read().split("native code of ")[1].split("rarely")[0]; \
# RUN:   found = re.findall(r"^  ([0-9a-f]+)  (.*?)(?: \[\w+.*?\])?  ", text, re.M); \
# RUN:   gnu = re.findall(r"^ +([0-9a-f]+): (.*?)(?: #.*)?$", open(sys.argv[2]).read(), re.M); \
# RUN:   assert len(found) == 12 and found == [each for each in gnu if each in found], (found, gnu)' %t.out %t.gnu
#
# Any disassembler will do, and without one there are the bytes; the first column is the same.
# RUN: rm -rf %t.bin && mkdir %t.bin && ln -s "$(command -v llvm-objdump)" %t.bin/llvm-objdump-14
# RUN: PATH=%t.bin %temu --tier=optimize --show-native=sum --show-native=middle %t > %t.llvm
# RUN: PATH=/nowhere %temu --tier=optimize --show-native=sum --show-native=middle %t > %t.bytes && FileCheck --check-prefix=BYTES %s < %t.bytes
# BYTES: [count: 9 instructions] [[#%x,]] {{([0-9a-f][0-9a-f] ?)+$}}
# RUN: for how in out llvm bytes; do sed -n 's/^\(  [[0-9].*[^ ]\)  *[0-9a-f]\{8,\}  .*/\1/p; s/^[0-9a-f]* <.*:$/&/p' %t.$how > %t.$how.column; done
# RUN: test -s %t.out.column && cmp %t.out.column %t.llvm.column && cmp %t.out.column %t.bytes.column
#
# Code that is forgotten before the end is shown as it was last; code that never was says why.
# Of a function that is called once, the loop is shown.
# RUN: %temu --show-native=written --show-native=_start --show-native=often %t > %t.gone 2> %t.none
# RUN: FileCheck --check-prefix=GONE %s < %t.gone && FileCheck --check-prefix=NONE %s < %t.none
# GONE: native code of {{[0-9a-f]+}} <written>: {{.*}}; it was forgotten before the end
# GONE: add{{i?}} t0,t0,1
# GONE: native code of [[#%x,]] <_start>, only from {{[0-9a-f]+}} <_start+0x20> on: a run of blocks from {{[0-9a-f]+}} on, 3 instructions
# NONE: --show-native=often: no native code was made of 0x{{[0-9a-f]+}}: control did not come to it often (--tier=translate
# RUN: %temu --tier=translate --show-native=_start %t | FileCheck --check-prefix=WHOLE %s
# WHOLE: native code of {{[0-9a-f]+}} <_start>: a run of blocks from {{[0-9a-f]+}} on
# RUN: %temu --show-native=sum --trace=/dev/null %t 2>&1 | FileCheck --check-prefix=WATCHED %s
# WATCHED: --show-native=sum: no native code was made of 0x{{[0-9a-f]+}}: the whole run was interpreted
# RUN: not %temu --show-native=sun %t 2>&1 | FileCheck --check-prefix=NAME %s
# NAME: error: 'sun' is neither a symbol of the program nor an address; did you mean 'sum'
# RUN: not %temu --tier=interp --show-native=sum %t 2>&1 | FileCheck --check-prefix=TIER %s
# TIER: temu: error: found --show-native with --tier=interp, which makes no native code; leave out one of them

        .globl _start
        .option norelax
_start: call    again
        la      a0, written
        sh      zero, 2(a0)
        li      s0, 1000
        la      a1, table
1:      mv      a0, a1
        call    sum
        addi    s0, s0, -1
        bnez    s0, 1b
        li      a0, 0
        li      a7, 93
        ecall

        .globl sum
        .type sum, @function
sum:    li      a2, 0
        li      a3, 4
2:      ld      a4, 0(a0)
        ld      a5, 8(a0)
        sd      a4, 8(a0)
        add     a2, a2, a4
        nop
        addi    a3, a3, -1
        bnez    a3, 2b
        .globl middle
middle: mv      a0, a2
        clmul   a6, a2, a3
        ret
        .size sum, . - sum

again:  mv      s2, ra
        li      s1, 100
3:      call    written
        addi    s1, s1, -1
        bnez    s1, 3b
        jr      s2

        .section .changes, "awx"
        .balign 4096
written: addi   t0, t0, 1
        ret
        .balign 4096
often:  ret
        .data
table:  .dword 1, 2, 3
