# --trace-units=sparse: fetches, packets and links, the same in text and json. The seed changes only the order of the fetches,
# and tdiff finds that. Packets take other routes in a mesh than in a torus.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.text --trace-units=sparse %t
# RUN: FileCheck %s < %t.text
# RUN: %temu --trace=%t.json --trace-units=sparse --trace-format=json %t
# RUN: %tdiff %t.text %t.json
# RUN: FileCheck %s --check-prefix=JSON < %t.json
# RUN: %python -c "import json, sys; print(sum('hop' in effect for line in open(sys.argv[1]) for effect in json.loads(line).get('effects', [])), 'links')" %t.json | FileCheck %s --check-prefix=LINKS

# None of it is in the trace without the option, or in Spike's log.
# RUN: %temu --trace=%t.plain %t && not grep -e 'sparse[.]fetch[[]' -e 'sparse[.]request' -e 'sparse[.]answer' %t.plain
# RUN: FileCheck %s --check-prefix=PLAIN < %t.plain
# RUN: %temu --trace=%t.spike --trace-format=spike --trace-units=sparse %t && not grep sparse %t.spike

# RUN: printf 'sparse: {seed: 3}\n' > %t.yaml
# RUN: %temu --machine %t.yaml --trace=%t.plain3 %t && tail -n +2 %t.plain > %t.a && tail -n +2 %t.plain3 | diff %t.a -
# RUN: %temu --machine %t.yaml --trace=%t.other --trace-units=sparse %t
# RUN: not %tdiff %t.text %t.other 2>&1 | FileCheck %s --check-prefix=SEED

# RUN: not %temu --trace-units=sparse %t 2>&1 | FileCheck %s --check-prefix=ALONE
# ALONE: error: found options of the trace without --trace
# RUN: not %temu --trace --trace-units=matrix %t 2>&1 | FileCheck %s --check-prefix=UNIT
# UNIT: error: --trace-units=matrix: no such unit; expected sparse

# CHECK: sconf a0{{.*}} | read[0x{{[0-9a-f]+}}+0x48] sparse.torus=0x1 sparse.rows=0x4 sparse.columns=0x1 sparse.fetchers=0x4 sparse.tables=0x1{{$}}
# CHECK: sgather a0,a1,a2,1
# CHECK-SAME: sparse.request[1][1]:1,1>2,1=0x10 sparse.request[1][1]:2,1>3,1=0x10 sparse.request[1][1]:1,1>4,1=0x10
# CHECK-SAME: sparse.fetch[4][1]=0x
# CHECK-SAME: sparse.plain[4][1]=0x20 sparse.packet[4][1]=0x5 sparse.answer[4][1]:4,1>1,1=0x5 write[
# CHECK-SAME: sparse.hops=0x4 sparse.cycles=0x5 sparse.bytes=0x20 sparse.compressed=0x5 a0=0x8
# CHECK: supdate a1,a2,1
# CHECK-SAME: sparse.update[4][1]:1,1>4,1=0x5
# CHECK: sconf a0 {{.*}} sparse.torus=0x0 sparse.hops=0x0
# CHECK: sgather a0,a1,a2,1
# CHECK-SAME: sparse.request[1][1]:1,1>2,1=0x10 sparse.request[1][1]:2,1>3,1=0x10 sparse.request[1][1]:3,1>4,1=0x10
# CHECK-SAME: sparse.answer[4][1]:4,1>3,1=0x5 sparse.answer[4][1]:3,1>2,1=0x5 sparse.answer[4][1]:2,1>1,1=0x5 write[
# CHECK-SAME: sparse.hops=0x6

# JSON: {"hop":"sparse.request[1][1]","from":"1,1","to":"4,1","value":"0x10"}
# JSON: {"hop":"sparse.answer[4][1]","from":"4,1","to":"1,1","value":"0x5"}
# LINKS: 14 links

# PLAIN: sgather a0,a1,a2,1{{.*}} | read[{{[^ ]*}} read[{{[^ ]*}} write[{{[^ ]*}} sparse.hops=0x4 sparse.cycles=0x5 sparse.bytes=0x20 sparse.compressed=0x5 a0=0x8{{$}}

# SEED: warning: the traces come from different machine configurations
# SEED: first difference at instruction {{[0-9]+}}
# SEED: sgather a0,a1,a2,1
# SEED: sparse.fetch[4][1]

        .globl  _start
_start: la      a0, network
        la      a1, dense
        la      a2, request
        sconf   a0
        sgather a0, a1, a2, 1
        supdate a1, a2, 1
        la      a0, network
        sb      zero, 0(a0)             # a mesh
        sconf   a0
        sgather a0, a1, a2, 1
        li      a0, 0
        li      a7, 93
        ecall

        .data
        .balign 8
network:
        .byte   1, 0
        .half   4, 1, 4
        .word   1, 0
        .word   0, 0, 0, 0, 1           # the last row serves the table
        .balign 8
        .dword  table
        .word   1, 1, 0, 8
        .word   0, 8
        .balign 8
request:
        .word   0, 0, 8, 0
table:  .float  0, 0, 0, 0, 0, 0, 0, 1
dense:  .zero   32
