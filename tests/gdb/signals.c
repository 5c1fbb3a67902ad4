/* Signals that a program raises: gdb sees each before the program does, passes it on, drops it or
 * sends another, and need not stop. qemu's stub gives gdb the same stops.
 *
 * RUN: %gcc -O1 -g -static -w -o %t %s
 * RUN: %temu %t >%t.alone; test $? = 134 && FileCheck %s --check-prefix=ALONE <%t.alone
 * ALONE: handled 10
 * ALONE-NEXT: raised
 * ALONE-NEXT: handled 12
 * ALONE-NEXT: value 7
 * ALONE-NEXT: handled 14
 * ALONE-NEXT: handled 34
 * RUN: %python %tools/gdb_session.py %s %t -- %temu >%t.out && FileCheck %s <%t.out
 *
 * GDB: break main
 * GDB: continue
 * GDB: continue
 * CHECK: Program received signal SIGUSR1, User defined signal 1.
 * GDB: continue
 * CHECK: Program received signal SIGUSR2, User defined signal 2.
 * GDB: signal 0
 * CHECK: Program received signal SIG34, Real-time event 34.
 * GDB: signal SIGUSR2
 * CHECK: Program received signal SIGABRT, Aborted.
 * GDB: backtrace -1
 * CHECK: main ()
 * GDB: continue
 * CHECK: Program terminated with signal SIGABRT, Aborted.
 * CHECK: --- stdout
 * CHECK-NEXT: handled 10
 * CHECK-NEXT: raised
 * CHECK-NEXT: value 0
 * CHECK-NEXT: handled 14
 * CHECK-NEXT: handled 12
 * CHECK: --- status 134
 *
 * gdb asks for no stop at a signal that it is to pass on silently.
 * RUN: %python %tools/gdb_session.py --prefix QUIET %s %t -- %temu >%t.quiet && FileCheck %s --check-prefix=SILENT <%t.quiet
 * QUIET: handle SIGUSR1 SIGUSR2 SIG34 nostop noprint pass
 * QUIET: handle SIGALRM stop
 * QUIET: continue
 * SILENT-NOT: SIGUSR
 * SILENT: Program received signal SIGALRM, Alarm clock.
 * QUIET: delete
 * QUIET: detach
 * SILENT: --- stdout
 * SILENT-NEXT: handled 10
 * SILENT-NEXT: raised
 * SILENT-NEXT: handled 12
 * SILENT-NEXT: value 7
 * SILENT-NEXT: handled 14
 * SILENT-NEXT: handled 34
 * SILENT: --- status 134
 *
 * A signal that comes while its own call waits for it: the mask is the old one afterwards.
 * RUN: %python %tools/gdb_session.py --prefix MASK %s %t -- %temu >%t.mask && FileCheck %s --check-prefix=MASKED <%t.mask
 * MASK: handle SIGUSR1 SIGUSR2 nostop noprint
 * MASK: handle SIGALRM stop print
 * MASK: break before_abort
 * MASK: continue
 * MASKED: Program received signal SIGALRM
 * MASK: continue
 * MASK: continue
 * MASKED: Breakpoint 1, before_abort
 * MASK: print blocked
 * MASKED: = 1
 * MASK: info auxv
 * MASKED: AT_PAGESZ {{.*}} 4096
 * MASKED: AT_ENTRY
 * MASKED: AT_EXECFN {{.*}} 0x{{.*}} "{{.*}}signals.c.tmp"
 * MASKED: AT_NULL
 * MASK: kill
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int blocked;
static volatile int value;

static void handler(int signal)
{
    printf("handled %d\n", signal);
    if (signal == SIGUSR2)
        value = 7;
}

__attribute__((noinline)) void before_abort(void)
{
    asm volatile("");
}

int main(void)
{
    sigset_t mask, old;

    signal(SIGUSR1, handler);
    signal(SIGUSR2, handler);
    signal(SIGALRM, handler);
    signal(34, handler);
    signal(SIGUSR1 + 50, SIG_IGN);
    raise(SIGUSR1 + 50);
    raise(SIGUSR1);
    puts("raised");
    kill(getpid(), SIGUSR2);
    printf("value %d\n", value);
    sigemptyset(&mask);
    sigaddset(&mask, SIGALRM);
    sigprocmask(SIG_BLOCK, &mask, &old);
    alarm(1);
    sigsuspend(&old);
    sigprocmask(SIG_BLOCK, NULL, &mask);
    blocked = sigismember(&mask, SIGALRM);
    raise(34);
    fflush(stdout);
    before_abort();
    abort();
}
