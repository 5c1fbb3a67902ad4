/* --jitdump: a file that perf can read. Inputs/jitdump.py reads it from the words of the
 * specification.
 *
 * RUN: rm -rf %t && mkdir %t && %gcc -march=rv64gc -mabi=lp64d -O1 -g -fno-inline -ffreestanding -nostdlib -static -o %t/program %s
 * RUN: cd %t && %temu --jitdump program && mv jit-*.dump here && %python %S/Inputs/jitdump.py here %s | FileCheck %s
 * A directory, the name of a file, a program without symbols.
 * RUN: cd %t && mkdir folder && %temu --jitdump=folder --tier=optimize program && %python %S/Inputs/jitdump.py folder/jit-*.dump %s | FileCheck %s
 * RUN: cd %t && %temu --jitdump=other program && %python %S/Inputs/jitdump.py other %s | FileCheck %s
 * CHECK: {{[1-9][0-9]*}} records in order, no code twice at one address
 * CHECK: inner: its lines
 * CHECK-NEXT: outer: its lines
 * RUN: cd %t && %gobjcopy --strip-all program stripped && %temu --jitdump=plain stripped && %python %S/Inputs/jitdump.py plain %s | FileCheck %s --check-prefix=STRIPPED
 * STRIPPED: records in order, no code twice at one address
 * STRIPPED-NEXT: 0x{{[0-9a-f]+}}: no lines
 *
 * RUN: not %temu --jitdump=%t/none/file %t/program 2>&1 | FileCheck %s --check-prefix=NONE
 * NONE: none/file: error: cannot write: No such file or directory
 * RUN: not %temu --jitdump=%t/program %t/program 2>&1 | FileCheck %s --check-prefix=SAME
 * SAME: temu: error: --jitdump={{.*}}program would replace the program {{.*}}program; give the output another name
 * RUN: not %temu --tier=interp --jitdump %t/program 2>&1 | FileCheck %s --check-prefix=TIER
 * RUN: cd %t && not %temu --jitdump=- program 2>&1 | FileCheck %s --check-prefix=STREAM && test ! -e ./-
 * STREAM: temu: error: --jitdump=-: perf finds the code through a mapped file, which standard output is not; expected a directory or a file
 * A file without code says why.
 * RUN: cd %t && not %temu --jitdump=empty --trace=/dev/null --max-insns=500 program 2>&1 | FileCheck %s --check-prefix=EMPTY && test -s empty
 * EMPTY: temu: program: --jitdump: no native code was made: the whole run was interpreted (no code came often, or something observed each instruction)
 * TIER: temu: error: found --jitdump with --tier=interp, which makes no native code; leave out one of them
 *
 * perf itself, where it is and may measure: most of the time is in `inner`.
 * RUN: cd %t && mkdir perf && cd perf && if perf record -q -e cpu-clock -k mono -o a.data true; then \
 * RUN:     perf record -q -e cpu-clock -k mono -o a.data %temu --jitdump ../program && perf inject --jit -i a.data -o b.data && \
 * RUN:     perf script -i b.data -F ip,sym | awk '{ n[$2]++ } END { for (name in n) print n[name], name }' | sort -rn | sed 1q | grep ' inner$'; fi
 */
static unsigned long sum;

void inner(unsigned long n)
{
    for (unsigned long i = 0; i < 3000; i++)
        sum += n ^ i;
}

void outer(void)
{
    for (unsigned long n = 0; n < 30000; n++)
        inner(n);
}

void _start(void)
{
    outer();
    register long number __asm__("a7") = 93;
    register long status __asm__("a0") = 0;
    __asm__ volatile("ecall" : : "r"(number), "r"(status));
    __builtin_unreachable();
}
