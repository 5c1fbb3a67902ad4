# Traces that are the same: a trace and itself, text and json, and traces whose differences are ignored.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.text %t && %temu --trace=%t.json --trace-format=json %t && %temu --trace=%t.spike --trace-format=spike %t
# RUN: %tdiff %t.text %t.text | count 0
# RUN: %tdiff %t.json %t.text | count 0
# RUN: %tdiff - %t.json < %t.text | count 0
# RUN: %tdiff %t.spike %t.spike | count 0

# Other names of a register and another order of effects make no difference.
# RUN: sed 's/ t0=/ x5=/; s/ | \(load[^ ]*\) \(t1=[^ ]*\)/ | \2 \1/' %t.text > %t.other
# RUN: not cmp -s %t.text %t.other
# RUN: %tdiff %t.text %t.other | count 0

# RUN: sed 's/ t1=0x[0-9a-f]*/ t1=0x99/; s/fcsr=0x0/fcsr=0x1/' %t.text > %t.other
# RUN: not %tdiff %t.text %t.other > %t.out
# RUN: %tdiff --ignore=t1,csr %t.text %t.other | count 0
# RUN: %tdiff --ignore=x6,fcsr %t.text %t.other | count 0
# RUN: %tdiff --ignore=x --ignore csr %t.text %t.other | count 0

# Lines of Spike's execution log between those of the commit log are skipped.
# RUN: (echo 'core   0: >>>>  _start'; sed 'h; s/^core   0: 0 \(0x[0-9a-f]*\) \(([^)]*)\).*/core   0: \1 \2 disassembly/p; x' %t.spike) > %t.other
# RUN: %tdiff %t.other %t.spike | count 0

        .text
        .globl  _start
_start: la      a0, numbers
        li      t0, 3
        sd      t0, 0(a0)
        lw      t1, 0(a0)
        fscsr   zero
        li      a0, 0
        li      a7, 93
        ecall
        .data
numbers:
        .dword  0
