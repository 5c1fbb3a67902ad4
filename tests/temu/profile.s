# --profile: costs by function and line, and the chains of calls that led there.
#
# RUN: %tasm -g -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --profile %t 2>&1 | FileCheck --match-full-lines --check-prefix=TEXT %s
# Labels that nothing calls are parts of functions. `t0` holds return addresses, too, and a jump to a function is a call in tail position.
# TEXT:      instructions 61
# TEXT-NEXT: bytes read 24
# TEXT-NEXT: bytes written 24
# TEXT-NEXT: multiply-adds 0
# TEXT-NEXT: by function
# TEXT-NEXT: instructions % with callees % bytes read bytes written multiply-adds calls function
# TEXT-NEXT: 36 59.02 42 68.85 0 24 0 3 work
# TEXT-NEXT: 13 21.31 61 100.00 0 0 0 1 _start
# TEXT-NEXT: 6 9.84 6 9.84 24 0 0 3 restore
# TEXT-NEXT: 6 9.84 6 9.84 0 0 0 3 save
# TEXT-NEXT: by line
# TEXT-NEXT: instructions % bytes read bytes written multiply-adds line
# TEXT-NEXT: 12 19.67 0 0 0 {{.*}}profile.s:123 (work)
# TEXT-NEXT: 12 19.67 0 0 0 {{.*}}profile.s:124 (work)
#
# RUN: %temu --profile=%t.folded --profile-format=folded %t && FileCheck --match-full-lines --check-prefix=FOLDED %s <%t.folded
# FOLDED:      _start 13
# FOLDED-NEXT: _start;work 36
# FOLDED-NEXT: _start;work;save 6
# FOLDED-NEXT: _start;restore 6
# FOLDED-NOT:  {{.}}
#
# The cycles are those of --timing, and their sum is that of the run.
# RUN: %temu --timing --timing-file=%t.timing --profile=%t.cycles %t && FileCheck --check-prefix=TIMED %s <%t.cycles
# RUN: sh -c 'test $(sed -n "s/^\([0-9]*\) cycles.*/\1/p" %t.timing) = $(sed -n "s/^cycles *//p" %t.cycles)'
# TIMED: by function
# TIMED-NEXT: {{^}} cycles {{.*}} instructions
#
# A matrix product's multiply-adds are those of --stats.
# RUN: %tasm -I %root/include -g -o %t.mm.o %root/tests/kernels/matmul_tiled.s && %tld -o %t.mm %t.mm.o
# RUN: %temu --profile=%t.mm.txt --stats=%t.mm.stats %t.mm >/dev/null
# RUN: sh -c 'test $(sed -n "s/^multiply-adds *//p" %t.mm.txt) = $(sed -n "s/.*: multiply-adds  *//p" %t.mm.stats)'
#
# callgrind_annotate reads the profile, and counts calls and callees as it says.
# RUN: %temu --profile=%t.callgrind --profile-format=callgrind %t
# RUN: callgrind_annotate --tree=calling --inclusive=yes %t.callgrind | FileCheck --check-prefix=CALLGRIND %s
# CALLGRIND: 61 (100.0%){{.*}} PROGRAM TOTALS
# CALLGRIND: 61 (100.0%){{.*}} *{{.*}}profile.s:_start
# CALLGRIND-DAG: 42 (68.85%){{.*}} >{{.*}}profile.s:work (3x)
# CALLGRIND-DAG: 6 ( 9.84%){{.*}} >{{.*}}profile.s:restore (3x)
# CALLGRIND: 42 (68.85%){{.*}} *{{.*}}profile.s:work
# CALLGRIND:  6 ( 9.84%){{.*}} >{{.*}}profile.s:save (3x)
#
# The same for compiled programs: the profiles are compared with the trace, and with another implementation of calls and returns.
# RUN: for level in 0 1 2 s; do %gcc -O$level -g -static -nostdlib -nostartfiles -ffreestanding -o %t.c.$level %S/Inputs/profile.c && \
# RUN:   %temu --trace=%t.trace --trace-format=json --profile=%t.callgrind --profile-format=callgrind %t.c.$level && \
# RUN:   %temu --profile=%t.folded --profile-format=folded %t.c.$level && \
# RUN:   %python %S/Inputs/profile.py %t.c.$level %t.trace %t.callgrind %t.folded || exit 1; done | FileCheck --check-prefix=SAME %s
# SAME-COUNT-4: {{[0-9]+ instructions, [0-9]+ chains and [0-9]+ calls agree}}
#
# longjmp leaves the functions between, and a handler of a signal is called where the signal comes.
# RUN: %gcc -O1 -fno-inline -g -static -o %t.jumps %S/Inputs/profile_jumps.c
# RUN: %temu --profile=%t.folded --profile-format=folded %t.jumps && FileCheck --check-prefix=JUMPS %s <%t.folded
# JUMPS-DAG: main;deep;deep;deep;deep {{[0-9]+$}}
# JUMPS-DAG: main;after_jump {{[0-9]+$}}
# JUMPS-DAG: main;after_signal {{[0-9]+$}}
# JUMPS-DAG: ;on_signal;in_handler {{[0-9]+$}}
#
# So is a handler of exceptions. A function may return by another register than ra.
# RUN: %tasm -g -o %t.o %S/Inputs/profile_handler.s && %tld -Ttext=0x80000000 -o %t.handler %t.o
# RUN: %temu --env=bare --profile=%t.folded --profile-format=folded %t.handler && FileCheck --match-full-lines --check-prefix=HANDLER %s <%t.folded
# HANDLER:      _start 8
# HANDLER-NEXT: _start;work 5
# HANDLER-NEXT: _start;work;handler 14
# HANDLER-NEXT: _start;work;handler;helper 4
# HANDLER-NEXT: _start;work;inner 2
# HANDLER-NOT:  {{.}}
#
# Threads have chains of their own, and their sum is the run.
# RUN: %gcc -O1 -g -static -pthread -o %t.threads %S/Inputs/profile_threads.c
# RUN: %temu --stats=%t.stats --profile=%t.folded --profile-format=folded %t.threads
# RUN: FileCheck --check-prefix=THREADS %s <%t.folded
# THREADS-DAG: {{^}}_start;{{.*}};main;work {{[0-9]+$}}
# THREADS-DAG: start_thread;run;work {{[0-9]+$}}
# RUN: test "instructions $(awk '{ n += $NF } END { print n }' %t.folded)" = "$(head -n 1 %t.stats | tr -s ' ')"
#
# A program that calls itself twice in each call does not need much memory.
# RUN: %tasm -g -o %t.o %S/Inputs/profile_fibonacci.s && %tld -o %t.fib %t.o
# RUN: (%limit_memory 6000000; %temu --profile %t.fib 2>&1) | FileCheck --check-prefix=FIB %s
# FIB: {{[0-9]+ +100.00 .* 57313  fibonacci$}}
#
# JSON has the numbers of the other formats.
# RUN: %temu --timing --timing-file=%t.timing --profile=%t.json --profile-format=json %t.c.2
# RUN: %temu --timing --timing-file=%t.timing --profile=%t.callgrind --profile-format=callgrind %t.c.2
# RUN: %python %S/Inputs/profile_json.py %t.json %t.callgrind | FileCheck --check-prefix=JSON %s
# JSON: {{[1-9][0-9]+}} instructions and {{[1-9][0-9]*}} calls are the same
#
# RUN: not %temu --profile-format=folded %t 2>&1 | FileCheck --check-prefix=ALONE %s
# ALONE: temu: error: found --profile-format without --profile; add --profile or --profile=FILE
# RUN: not %temu --profile --profile-format=xml %t 2>&1 | FileCheck --check-prefix=FORMAT %s
# FORMAT: temu: error: --profile-format=xml: no such format; expected text, callgrind
# RUN: not %temu --profile=/dev/full %t 2>&1 | FileCheck --check-prefix=DEVICE %s
# DEVICE: /dev/full: error: cannot write: No space left on device
# RUN: cp %t %t.kept && not %temu --profile=%t %t 2>&1 | FileCheck --check-prefix=REPLACED %s && cmp %t %t.kept
# REPLACED: error:
#
# A program without source lines, and one that ends early.
# RUN: %tasm -o %t.o %s && %tld -s -o %t.plain %t.o
# RUN: not %temu --max-insns=20 --profile %t.plain 2>&1 | FileCheck --check-prefix=PLAIN %s
# PLAIN: instructions {{ *}}20{{$}}
# PLAIN: by line: the program has no source lines; assemble or compile it with -g
	.globl _start, restore
_start:
	li s0, 3
outer:
	call work
	addi s0, s0, -1
	bnez s0, outer
	li a0, 0
	li a7, 93
	.option norvc
	ecall
work:
	jal t0, save
	sd ra, -8(sp)
	li a0, 4
inner:
	addi a0, a0, -1
	bnez a0, inner
	j restore
restore:
	ld ra, -8(sp)
	ret
save:
	nop
	jr t0
