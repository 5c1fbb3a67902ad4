/* --native-symbols: a gdb of the host sees the program's functions in native code, and the way back
 * to temu. When all native code is forgotten, its symbols go, and those of new code come.
 *
 * RUN: %gcc -march=rv64gc -mabi=lp64d -O1 -ffreestanding -nostdlib -static -o %t %s
 * RUN: %gdb -nx -batch -x %S/Inputs/native_symbols.py --args %temu --native-symbols %t > %t.out 2>&1 || cat %t.out
 * A host may forbid to trace processes.
 * RUN: grep -q 'Could not trace\|Operation not permitted' %t.out || FileCheck %s < %t.out
 * CHECK: #0 {{.*}} in inner ()
 * CHECK-NEXT: #1 {{.*}}enter (
 * CHECK-NEXT: #2 {{.*}}native_visit (
 * CHECK: main (
 * CHECK: inner{{.*}} in section .text
 * CHECK: few files: True
 * CHECK: both functions: True
 * CHECK: files went: True
 *
 * Without the option there is nothing to see.
 * RUN: %gdb -nx -batch -x %S/Inputs/native_symbols.py --args %temu %t 2>&1 | FileCheck --check-prefix=NONE %s
 * NONE-NOT: in inner ()
 */
/* Data, code that is written, and the other code are on pages of their own. */
static struct {
    unsigned long sum;
    char rest[4096];
} data __attribute__((aligned(4096)));

__attribute__((noinline)) void inner(unsigned long n)
{
    for (unsigned long i = 0; i < 100; i++)
        data.sum += n ^ i;
}

__asm__(".pushsection .changes, \"awx\"\n"
        ".balign 4096\n"
        "rewritten: nop\n"
        "ret\n"
        ".balign 4096\n"
        ".popsection");
void rewritten(void);

__attribute__((noinline)) void outer(void)
{
    volatile unsigned *code = (volatile unsigned *)(void *)rewritten;

    for (unsigned long n = 0;; n++) {
        if (n < 4) {
            for (int i = 0; i < 4; i++)
                rewritten();
            *code = *code;
        }
        inner(n);
    }
}

void _start(void)
{
    outer();
}
