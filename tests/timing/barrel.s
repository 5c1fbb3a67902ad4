# The time of the threads of a barrel: a turn is a cycle, and a turn in which a thread cannot go is a bubble.
#
# The first example of threads.md. With two workers, a load is not usable in the next turn of its thread: each worker has a
# bubble. With six, no thread waits for itself, so the trace is the one without a model of time.
# RUN: %tasm -o %t.o %s && %tld --section-start=.text=0x10000 --section-start=.data=0x20000 -o %t %t.o
# RUN: printf 'barrel:\n  workers: 2\n' >%t.2.yaml && printf 'barrel:\n  workers: 6\n' >%t.6.yaml
# RUN: printf 'barrel:\n  workers: 2\n  pair: yes\n' >%t.pair.yaml
# RUN: %temu --machine %t.2.yaml --timing --timing-file=%t.time --trace=%t.trace %t
# RUN: FileCheck %s <%t.trace && FileCheck %s --check-prefix=TIME <%t.time
# CHECK:      {{^ *}}2        2 sup{{.* }}trunall a3,a0,8{{.*}} worker[0].a0=0x20000{{.*}} worker[1].a0=0x20008
# CHECK-NEXT: {{^ *}}3        3 w1 {{.* }}lw t0,0(a0){{.*}} | load4[0x20008]=0x7 t0=0x7
# CHECK-NEXT: {{^ *}}4        4 w0 {{.* }}lw t0,0(a0){{.*}} | load4[0x20000]=0x5 t0=0x5
# CHECK-NEXT: {{^ *}}5        7 w1 {{.*}} | t0=0x8
# CHECK-NEXT: {{^ *}}6        8 w0 {{.*}} | t0=0x6
# CHECK-NEXT: {{^ *}}7        9 w1 {{.*}} | store4[0x20008]=0x8
# CHECK-NEXT: {{^ *}}8       10 w0 {{.*}} | store4[0x20000]=0x6
# CHECK-NEXT: {{^ *}}9       11 w1 {{.*}} | exits=0x3
# CHECK-NEXT: {{^ *}}10       12 w0 {{.*}} | exits=0x3
# CHECK-NEXT: {{^ *}}11       13 sup{{.* }}tsync
# CHECK-NEXT: {{^ *}}12       14 sup{{.* }}li a7,93
# CHECK-NEXT: {{^ *}}13       15 sup{{.* }}ecall
# TIME:      16 cycles, 14 instructions
# TIME-NEXT: front end: issued 14 operand 2{{$}}
# TIME-NEXT: sup: 6 instructions, issued 6{{$}}
# TIME-NEXT: w0: 4 instructions, issued 4 operand 1{{$}}
# TIME-NEXT: w1: 4 instructions, issued 4 operand 1{{$}}
# RUN: %temu --machine %t.6.yaml --trace=%t.plain %t && %temu --machine %t.6.yaml --timing --timing-file=%t.time --trace=%t.timed %t
# RUN: diff %t.plain %t.timed && FileCheck %s --check-prefix=SIX <%t.time
# SIX: 30 cycles, 30 instructions
#
# The fourth example, with bundles. The second instruction joins only where its operands are usable: the pair of fadd.s and
# flw goes together, later than without a model of time, since the first load takes 3 cycles.
# RUN: %tasm --defsym PAIRS=1 -o %t.o %s && %tld --section-start=.text=0x10000 --section-start=.data=0x20000 -o %t %t.o
# RUN: %temu --machine %t.2.yaml --timing --timing-file=%t.time %t && FileCheck %s --check-prefix=ALONE <%t.time
# RUN: %temu --machine %t.pair.yaml --timing --timing-file=%t.time %t && FileCheck %s --check-prefix=PAIR <%t.time
# RUN: %temu --machine %t.pair.yaml --timing=json --timing-file=%t.time %t && FileCheck %s --check-prefix=JSON <%t.time
# ALONE: 24 cycles, 18 instructions
# PAIR:      22 cycles, 18 instructions
# PAIR-NEXT: front end: issued 16 operand 6{{$}}
# PAIR-NEXT: sup: 6 instructions, issued 6{{$}}
# PAIR-NEXT: w0: 6 instructions, issued 5 operand 3{{$}}
# JSON: "threads": {"sup": {"instructions": 6, "issued": 6, {{.*}}, "w0": {"instructions": 6, "issued": 5, {{.*}}"operand": 3, {{.*}}"barrier": 0}
#
# Waits of threads for each other are bubbles, too. Worker 1 takes a branch, whose target comes too late for its next turn,
# and then waits for worker 0 at tbar.
# RUN: %tasm --defsym MEET=1 -o %t.o %s && %tld --section-start=.text=0x10000 --section-start=.data=0x20000 -o %t %t.o
# RUN: %temu --machine %t.2.yaml --timing --timing-file=%t.time %t && FileCheck %s --check-prefix=MEET <%t.time
# MEET:      19 cycles, 14 instructions
# MEET-NEXT: front end: issued 14 branch 1 operand 1 barrier 3{{$}}
# MEET-NEXT: sup: 6 instructions, issued 6{{$}}
# MEET-NEXT: w0: 5 instructions, issued 5 operand 1{{$}}
# MEET-NEXT: w1: 3 instructions, issued 3 branch 1 barrier 3{{$}}
#
# The supervisor waits at tsync in the slot of the worker that is idle.
# RUN: %tasm --defsym ONE=1 -o %t.o %s && %tld --section-start=.text=0x10000 --section-start=.data=0x20000 -o %t %t.o
# RUN: %temu --machine %t.2.yaml --timing --timing-file=%t.time %t && FileCheck %s --check-prefix=ONE <%t.time
# ONE:      16 cycles, 10 instructions
# ONE-NEXT: front end: issued 10 operand 1 sync 5{{$}}
# ONE-NEXT: sup: 6 instructions, issued 6 sync 5{{$}}
# ONE-NEXT: w0: 4 instructions, issued 4 operand 1{{$}}
#
# DMA is shared: the transfers of the workers come one after the other, and both write what the loads read.
# RUN: %tasm --defsym DMA=1 -o %t.o %s && %tld --section-start=.text=0x10000 --section-start=.data=0x20000 -o %t %t.o
# RUN: %temu --machine %t.2.yaml --timing --timing-file=%t.time %t && FileCheck %s --check-prefix=DMA <%t.time
# DMA: front end: issued 14 memory {{[0-9]+}}{{$}}
# DMA: w0: 4 instructions, issued 4 memory {{[0-9]+}}{{$}}
# DMA: w1: 4 instructions, issued 4 memory {{[0-9]+}}{{$}}
# DMA: dma: busy 202
    .globl _start
_start:
    lui a0, 0x20
    lui a3, 0x11
    .ifdef ONE
    trun 0, a3, a0
    .else
    trunall a3, a0, 8
    .endif
    tsync
    li a7, 93
    ecall
    .balign 4096
work:
    .ifdef PAIRS
    flw ft0, 0(a0)
    fadd.s ft2, ft2, ft0
    flw ft1, 4(a0)
    fadd.s ft2, ft2, ft1
    fsw ft2, 0(a0)
    texit a1
    .data
    .float 1, 2, 3, 4
    .else
    .ifdef DMA
    lui t0, 0x40000
    dma.ld t0, a0, 8
    lw t1, 0(t0)
    texit zero
    .else
    .ifdef MEET
    bnez a1, 1f
    lw t0, 0(a0)
    addi t0, t0, 1
1:  tbar
    texit zero
    .else
    lw t0, 0(a0)
    addi t0, t0, 1
    sw t0, 0(a0)
    texit t0
    .endif
    .endif
    .data
    .dword 5, 7, 7, 8, 9, 10
    .endif
