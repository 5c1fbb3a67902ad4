# tdiff --by-thread: what each thread executed is the same in runs with different turns, and a difference is that of a thread.
#
# RUN: %tasm -g -o %t.o %S/Inputs/by_thread.s && %tld -o %t %t.o
# RUN: for quantum in 1 7 1000; do printf "threads:\n  quantum: $quantum\n" >%t.$quantum.yaml; done
# RUN: for format in text json spike; do \
# RUN:     for quantum in 1 7 1000; do %temu --machine %t.$quantum.yaml --trace=%t.$quantum --trace-format=$format %t || exit 1; done; \
# RUN:     for quantum in 7 1000; do \
# RUN:         %tdiff %t.1 %t.$quantum >%t.out 2>%t.err; test $? = 1 || exit 1; %tdiff --by-thread %t.1 %t.$quantum >%t.out 2>%t.err && test ! -s %t.out || exit 1; \
# RUN:     done; \
# RUN:     sed -E '/ t3 /s/=0x12$/=0x11/; /"t3"/s/"0x12"/"0x11"/; /^core   2/s/012$/011/' %t.7 >%t.changed && \
# RUN:     { %tdiff --by-thread -C 2 %t.1 %t.changed >%t.$format.diff 2>%t.err; test $? = 1; } || exit 1; \
# RUN: done
# RUN: FileCheck %s --check-prefix=TEXT <%t.text.diff
# TEXT: thread t3: first difference at instruction [[#]]: {{.*}}, {{.*}}
# TEXT-NEXT:   pc 0x{{[0-9a-f]+}} <again+0x4>: add a0,a0,t0
# TEXT-NEXT:   register a0: 0x12 in {{.*}}, 0x11 in {{.*}}
# TEXT-NEXT:     last written at {{.*}} t3 {{.*}}<again+0x4>{{.*}}a0=0xf
# TEXT-NEXT:     last written at {{.*}} t3 {{.*}}<again+0x4>{{.*}}a0=0xf
# TEXT: reads register t0
# TEXT: {{^}}  {{.*}} t3 {{.*}}<again>
# TEXT-NEXT: {{^}}  {{.*}} t3 {{.*}}<again+0x2>
# TEXT-NEXT: {{^}}- {{.*}} t3 {{.*}}<again+0x4>
# TEXT-NEXT: {{^}}+ {{.*}} t3 {{.*}}<again+0x4>
# RUN: grep '^thread t3: first difference' %t.json.diff && grep '^thread core 2: first difference' %t.spike.diff
#
# Without the option, the order of the threads counts.
# RUN: %temu --machine %t.1.yaml --trace=%t.1 %t && %temu --machine %t.7.yaml --trace=%t.7 %t
# RUN: %tdiff %t.1 %t.7 2>%t.err >%t.out; test $? = 1 && FileCheck %s --check-prefix=ORDER <%t.out
# ORDER: {{^}}  thread: {{t[12]}} in {{.*}}.1, {{t[12]}} in {{.*}}.7; --by-thread compares what each thread executed{{$}}
# RUN: %temu --machine %t.1.yaml --trace=%t.1.ttrace %t && %temu --machine %t.7.yaml --trace=%t.7.ttrace %t
# RUN: %tdiff %t.1.ttrace %t.7.ttrace 2>%t.err >%t.out; test $? = 1 && FileCheck %s --check-prefix=ORDER-LOSSLESS <%t.out && %tdiff --by-thread %t.1.ttrace %t.7.ttrace
# ORDER-LOSSLESS: first difference: the paths differ at instruction
# ORDER-LOSSLESS: {{^}}  thread: {{t[12]}} in {{.*}}.1.ttrace, {{t[12]}} in {{.*}}.7.ttrace; --by-thread compares what each thread executed{{$}}
#
# A thread that is in one trace only. Text and json have the same threads.
# RUN: %temu --machine %t.1.yaml --trace=%t.part --trace-threads=t1,t2 %t; %tdiff --by-thread %t.1 %t.part >%t.out; test $? = 1 && FileCheck %s --check-prefix=PART <%t.out
# PART: thread t3: {{.*}}.part ends after 0 instructions, which are the same in {{.*}}; that one goes on at line
# RUN: %temu --machine %t.1.yaml --trace=%t.json --trace-format=json %t && %tdiff %t.1 %t.json && %tdiff --by-thread %t.1 %t.json
#
# A filter, and a program without other threads. A line of a program with one thread has no name of a thread.
# RUN: test $(grep -c ' t[12] ' %t.part) -gt 100 && not grep ' t3 ' %t.part && sed -n 2p %t.1 | not grep ' t1 '
# RUN: not %temu --trace --trace-threads=t1,w,t03 %t 2>&1 | FileCheck %s --check-prefix=NAMES
# NAMES: temu: error: --trace-threads=t1,w,t03: found 'w', expected names of threads: t1,t3 or, with a barrel, sup,w0
# NAMES: temu: error: --trace-threads=t1,w,t03: found 't03', expected
# A name that no thread of the machine can have would give an empty trace.
# RUN: printf 'barrel:\n  workers: 2\n' >%t.barrel.yaml
# RUN: not %temu --trace=%t.none --trace-threads=t1,sup %t 2>&1 | FileCheck %s --check-prefix=FLAT && not ls %t.none
# FLAT: temu: error: --trace-threads=t1,sup: found 'sup', but the machine has no barrel; expected names of threads: t1,t3{{$}}
# RUN: for name in t1 w2 w4294967296; do not %temu --machine %t.barrel.yaml --trace=%t.none --trace-threads=w1,$name %t 2>&1; done | FileCheck %s --check-prefix=BARREL && not ls %t.none
# BARREL: temu: error: --trace-threads=w1,t1: found 't1', expected names of the threads of this barrel: sup, w0 to w1
# BARREL-NEXT: temu: error: --trace-threads=w1,w2: found 'w2', expected
# BARREL-NEXT: temu: error: --trace-threads=w1,w4294967296: found 'w4294967296', expected
#
# The turns of a barrel: two traces in which w0 and w1 have changed places.
# RUN: split-file %s %t.dir && cd %t.dir && %tdiff --by-thread a b && { %tdiff a b >out; test $? = 1; } && FileCheck %s --check-prefix=TURN <out
# RUN: cd %t.dir && { %tdiff a c >out; test $? = 1; } && FileCheck %s --check-prefix=LATE <out; %tdiff --by-thread a c
# TURN: first difference at instruction 1: a:3, b:3
# TURN: thread: w1 in a, w0 in b
# LATE: first difference at instruction 1: a:3, c:3
# LATE-NEXT: pc 0x11000 <work>: addi t0,t0,1
# LATE-NEXT: turn: 3 in a, 5 in c

#--- a
# tensor-trace 1 text program=0000000000000000 entry=0x10000 isa=0 machine=0000000000000000 threads=2
       0        2 sup  0x0000000000010000 <_start> 00000013 nop
       1        3 w1   0x0000000000011000 <work> 0012829b addi t0,t0,1 | t0=0x8
       2        4 w0   0x0000000000011000 <work> 0012829b addi t0,t0,1 | t0=0x6
#--- b
# tensor-trace 1 text program=0000000000000000 entry=0x10000 isa=0 machine=0000000000000000 threads=2
       0        2 sup  0x0000000000010000 <_start> 00000013 nop
       1        3 w0   0x0000000000011000 <work> 0012829b addi t0,t0,1 | t0=0x6
       2        4 w1   0x0000000000011000 <work> 0012829b addi t0,t0,1 | t0=0x8
#--- c
# tensor-trace 1 text program=0000000000000000 entry=0x10000 isa=0 machine=0000000000000000 threads=2
       0        2 sup  0x0000000000010000 <_start> 00000013 nop
       1        5 w1   0x0000000000011000 <work> 0012829b addi t0,t0,1 | t0=0x8
       2        6 w0   0x0000000000011000 <work> 0012829b addi t0,t0,1 | t0=0x6
#--- end
