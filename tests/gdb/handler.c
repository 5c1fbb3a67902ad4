/* A fault that the program handles: gdb stops at it first and passes it on. The handler runs, and
 * then the program continues.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O1 -g -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/../temu/Inputs -o %t %s
 * RUN: %temu %t | FileCheck %s --check-prefix=ALONE
 * ALONE: seen 11
 * RUN: %python %tools/gdb_session.py %s %t -- %temu | FileCheck %s
 *
 * GDB: break after
 * GDB: continue
 * CHECK: Program received signal SIGSEGV
 * GDB: continue
 * CHECK: Breakpoint 1, after ()
 * GDB: print seen
 * CHECK: = 11
 * GDB: continue
 * CHECK: exited normally
 */
#include "guest.h"

struct action {
    void *handler;
    unsigned long flags, mask;
};

struct context {
    unsigned long before[22], pc;
};

static volatile int seen;

static void handler(int signal, void *info, struct context *context)
{
    (void)info;
    seen = signal;
    context->pc += 4;
}

__attribute__((used, noinline)) static void after(void)
{
    print_number("seen", seen);
    CALL(EXIT, 0);
}

void _start(void)
{
    struct action action = {handler, 4, 0};

    CALL(RT_SIGACTION, 11, &action, 0, 8);
    asm volatile("li t0,64\nld t1,0(t0)" : : : "t0", "t1", "memory");
    after();
}
