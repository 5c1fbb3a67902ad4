# A trace in a file whose name ends in .zst: zstd reads the trace from it, in every format. The bytes do not depend on how many
# processors compress or write.
#
# RUN: %tasm -o %t.o %s && %tld -o %t %t.o
# RUN: %temu --trace=%t.text %t && %temu --trace=%t.text.zst %t && zstd -qdc %t.text.zst | cmp - %t.text
# RUN: %temu --trace=%t.json --trace-format=json %t && %temu --trace=%t.json.zst --trace-format=json %t && zstd -qdc %t.json.zst | cmp - %t.json
# RUN: %temu --trace=%t.spike --trace-format=spike %t && %temu --trace=%t.spike.zst --trace-format=spike %t && zstd -qdc %t.spike.zst | cmp - %t.spike
# A lossless trace is compressed in itself: the name asks for two things.
# RUN: not %temu --trace=%t.ttrace.zst %t 2>&1 | FileCheck %s --check-prefix=TWICE && not ls %t.ttrace.zst
# TWICE: temu: error: --trace={{.*}}.ttrace.zst: a lossless trace is compressed already; expected {{.*}}.ttrace, or --trace-format=text for a compressed text trace of this name
# RUN: taskset -c 0 %temu --trace=%t.one.zst %t && cmp %t.one.zst %t.text.zst
# RUN: taskset -c 0 %temu --trace=%t.one %t && cmp %t.one %t.text && %temu --trace %t 2>&1 | cmp - %t.text

# Sixteen frames and a rest, more than the ring has, each with a checksum and its size. A trace of no instructions is one frame, too.
# RUN: zstd -lv %t.text.zst | FileCheck %s --check-prefix=FRAMES
# FRAMES: # Zstandard Frames: 17
# FRAMES: Decompressed Size: {{.*}} (1{{[67]}}{{[0-9]*}} B)
# FRAMES: Check: XXH64
# RUN: %temu --trace=%t.nothing.zst --trace-format=spike --trace-from=never %t && zstd -qdc %t.nothing.zst | count 0
# RUN: zstd -lv %t.nothing.zst | FileCheck %s --check-prefix=NOTHING
# NOTHING: # Zstandard Frames: 1{{$}}

# A trace that cannot be written is an error and leaves no file. A pipe without a reader is an error, too.
# RUN: sh -c 'ulimit -f 4; exec %temu --trace=%t.full.zst %t' 2> %t.err; test $? = 1
# RUN: FileCheck %s --check-prefix=FULL < %t.err && not ls %t.full.zst
# FULL: .full.zst: error: cannot write the trace: File too large
# RUN: sh -c 'ulimit -f 4000; exec %temu --trace=%t.full %t' 2> %t.err; test $? = 1
# RUN: FileCheck %s --check-prefix=PLAIN < %t.err && not ls %t.full
# PLAIN: .full: error: cannot write the trace: File too large
# PLAIN-NOT: error
# RUN: rm -f %t.pipe.zst && mkfifo %t.pipe.zst
# RUN: sh -c 'head -c 10 %t.pipe.zst > %t.head & %temu --trace=%t.pipe.zst %t; test $? = 1; status=$?; wait; exit $status' 2>&1 | FileCheck %s --check-prefix=PIPE
# PIPE: .pipe.zst: error: cannot write the trace: Broken pipe

        .text
        .globl  _start, never
_start: li      t0, 50000
loop:   addi    t0, t0, -1
        sd      t0, -8(sp)
        bnez    t0, loop
        li      a7, 93
        li      a0, 0
        ecall
never:  nop
