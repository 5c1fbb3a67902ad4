# The report of the first difference: the field, both values, the symbol, the last writers of the value, and the context.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.a %t

# A loaded value, and where it was stored.
# RUN: sed 's/load4\(.*\)=0x3 t1=0x3/load4\1=0x4 t1=0x4/' %t.a > %t.b
# RUN: not %tdiff -C 1 --elf %t %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=LOAD < %t.out
#      LOAD: first difference at instruction 4: {{.*}}.a:6, {{.*}}.b:6
# LOAD-NEXT: pc 0x{{[0-9a-f]+}} <_start+0x10>: lw t1,4(a0)
# LOAD-NEXT: load of 4 bytes at 0x{{[0-9a-f]+}}: 0x3 in {{.*}}.a, 0x4 in {{.*}}.b
# LOAD-NEXT: last written at {{.*}}.a:5 and {{.*}}.b:5: {{.*}} sd t0,0(a0)
# LOAD-NEXT: register t1: 0x3 in {{.*}}.a, 0x4 in {{.*}}.b
# LOAD-NEXT: not written before
# LOAD-NEXT: reads register a0
# LOAD-NEXT: last written at {{.*}}.a:3 and {{.*}}.b:3: {{.*}} a0=
# LOAD-NEXT: {{^ .*}} sd t0,0(a0)
# LOAD-NEXT: {{^- .*}} load4{{.*}} t1=0x3
# LOAD-NEXT: {{^[+] .*}} load4{{.*}} t1=0x4
# LOAD-NOT:  {{.}}

# A branch that is taken in one of the runs.
# RUN: sed '/ bnez /,$d' %t.a > %t.b && sed -n '/ li a7/,$p' %t.a >> %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=PC < %t.out
#      PC: first difference at instruction 6:
# PC-NEXT: in {{.*}}.a: pc 0x{{[0-9a-f]+}} <_start+0x16>: bnez t2,
# PC-NEXT: in {{.*}}.b: pc 0x{{[0-9a-f]+}} <on+0x2>: li a7,93

# Different instructions at the same pc.
# RUN: sed '4s/00853283/01053283/' %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=ENCODING < %t.out
# ENCODING: encoding: 00853283 in {{.*}}.a, 01053283 in {{.*}}.b
# RUN: %tdiff --ignore=encoding %t.a %t.b

# Changes that only one trace has: of a CSR, of a range, of a unit's state, and a trap.
# RUN: sed 's/fcsr=0x0/frm=0x0/' %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=CSR < %t.out
# CSR: CSR fcsr: 0x0 in {{.*}}.a, nothing in {{.*}}.b
# CSR: CSR frm: 0x0 in {{.*}}.b, nothing in {{.*}}.a

# RUN: sed 's/\(write[^#]*#\)[0-9a-f]*/\10123456789abcdef/' %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=RANGE < %t.out
# RANGE: range written at 0x40000000: 8 bytes with digest {{[0-9a-f]+}} in {{.*}}.a, 8 bytes with digest 0123456789abcdef in {{.*}}.b

# RUN: sed 's/\(step[^=]*\)=0x8/\1=0x9/' %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=STATE < %t.out
# STATE: state traversal.step[1][0]: 0x8 in {{.*}}.a, 0x9 in {{.*}}.b

# RUN: sed 's/trap=8:0x0/trap=2:0x0/' %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=TRAP < %t.out
# TRAP: trap: cause 8 with value 0x0 in {{.*}}.a, cause 2 with value 0x0 in {{.*}}.b

# A register that two operands read is reported once; all registers of a group are reported.
# RUN: sed 's/fa1=0x[0-9a-f]*/fa1=0x7/' %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=GROUP < %t.out
# GROUP: f32v4hist fs0:fa1,fa2:fa5
# GROUP: reads register fs0
# GROUP: reads register fs1
# GROUP: reads register fa1
# GROUP: reads register fa2
# GROUP: reads register fa5
# RUN: sed 's/\(mul.*\)a3=0x[0-9a-f]*/\1a3=0x7/' %t.a > %t.b
# RUN: not %tdiff -C 0 %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=ONCE < %t.out
# ONCE: mul a3,a1,a1
# ONCE: reads register a1
# ONCE-NOT: reads

# One trace is the beginning of the other.
# RUN: head -4 %t.a > %t.b
# RUN: not %tdiff %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=PREFIX < %t.out
#      PREFIX: {{.*}}.b ends after 3 instructions, which are the same in {{.*}}.a; that one goes on at line 5
# PREFIX-NEXT: pc 0x{{[0-9a-f]+}} <_start+0xc>: sd t0,0(a0)
# PREFIX:      {{^[+]}} (end of {{.*}}.b)

# In Spike's log a load has no value; its last writer is reported nevertheless.
# RUN: %temu --trace=%t.a --trace-format=spike %t
# RUN: sed 's/x6  0x0000000000000003/x6  0x0000000000000007/' %t.a > %t.b
# RUN: not %tdiff -e %t %t.a %t.b > %t.out
# RUN: FileCheck %s --check-prefix=SPIKE < %t.out
# SPIKE: pc 0x{{[0-9a-f]+}} <_start+0x10>: lw t1,4(a0)
# SPIKE-NEXT: register t1: 0x3 in {{.*}}.a, 0x7 in {{.*}}.b
# SPIKE: reads memory at 0x{{[0-9a-f]+}}
# SPIKE-NEXT: last written at {{.*}} mem 0x{{[0-9a-f]+}} 0x0000000300000003

        .text
        .globl  _start
_start: la      a0, numbers
        ld      t0, 8(a0)
        sd      t0, 0(a0)
        lw      t1, 4(a0)
        li      t2, 0
        bnez    t2, on
        fscsr   zero
        li      a1, 0x40000000
        dma.ld  a1, a0, 8
        tset.step 1, 0, 8
        mul     a3, a1, a1
        f32v4hist f8:f11, f12:f15
on:     li      a0, 0
        li      a7, 93
        ecall
        .data
numbers:
        .dword  0, 0x300000003
