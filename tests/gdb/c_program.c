/* A C program with gcc's debugging information: frames, locals, finish, next, until, calls from the
 * debugger; then the ends of a session: exit, detach, kill, a fault, a lost connection.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O0 -g -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/../temu/Inputs -o %t %s
 * RUN: %python %tools/gdb_session.py %s %t -- %temu | FileCheck %s
 * RUN: %python %tools/gdb_session.py --prefix DETACH %s %t -- %temu | FileCheck %s --check-prefix=DETACHED
 * RUN: %python %tools/gdb_session.py --prefix KILL %s %t -- %temu | FileCheck %s --check-prefix=KILLED
 * RUN: %python %tools/gdb_session.py --prefix QUIT %s %t -- %temu | FileCheck %s --check-prefix=KILLED
 * RUN: %python %tools/gdb_session.py --prefix FAULT %s %t -- %temu | FileCheck %s --check-prefix=FAULTED
 * RUN: %python %tools/gdb_session.py --prefix STATS %s %t -- %temu | FileCheck %s --check-prefix=COUNTED
 *
 * GDB: break factorial if n == 1
 * GDB: continue
 * CHECK: factorial (n=1)
 * GDB: backtrace
 * CHECK: #0 {{.*}}factorial (n=1)
 * CHECK: #1 {{.*}}factorial (n=2)
 * CHECK: #2 {{.*}}factorial (n=3)
 * CHECK: #3 {{.*}}factorial (n=4)
 * CHECK: #4 {{.*}}work (fault=0)
 * GDB: delete
 * GDB: finish
 * CHECK: Value returned is $1 = 1
 * GDB: up
 * CHECK: factorial (n=3)
 * GDB: frame 0
 * GDB: call factorial(5)
 * CHECK: $2 = 120
 * GDB: watch total
 * GDB: continue
 * CHECK: Old value = 0
 * CHECK-NEXT: New value = 24
 * GDB: next
 * GDB: info locals
 * CHECK: half = 12.75
 * GDB: set var total = 42
 * GDB: continue
 * CHECK: exited with code 052
 * CHECK: --- stdout
 * CHECK-NEXT: total 42
 * CHECK: --- status 42
 *
 * DETACH: break work
 * DETACH: continue
 * DETACH: detach
 * DETACHED: Breakpoint 1, work
 * DETACHED: [Inferior 1 (Remote target) detached]
 * DETACHED: total 24
 * DETACHED: --- status 24
 *
 * KILL: kill
 * QUIT: quit
 * KILLED: --- stdout
 * KILLED-NEXT: --- stderr
 * KILLED-NEXT: ended by SIGKILL
 * KILLED-NEXT: --- status 137
 *
 * FAULT: break work
 * FAULT: continue
 * FAULT: set var fault = 1
 * FAULT: continue
 * FAULTED: Program received signal SIGSEGV, Segmentation fault.
 * FAULTED-NEXT: {{.*}} in work (fault=1)
 * FAULTED-NEXT: *(int *)16 = 1;
 * FAULT: continue
 * FAULTED: Program terminated with signal SIGSEGV
 * FAULTED: store access fault
 * FAULTED: --- status 139
 *
 * STATS: monitor stats on
 * STATS: break work
 * STATS: continue
 * STATS: monitor stats
 * COUNTED: counting from here on
 * COUNTED: Breakpoint 1, work
 * COUNTED: jal
 * STATS: monitor stats off
 * STATS: monitor nonsense
 * COUNTED: 'nonsense' is not a monitor command; 'monitor help' lists the commands
 * STATS: kill
 */
#include "guest.h"

static long total;

static long factorial(long n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static int work(int fault)
{
    double half = 12.5;

    if (fault)
        *(int *)16 = 1;
    total = factorial(4);
    half += 0.25;
    return half > 12;
}

void _start(void)
{
    work(0);
    print_number("total", total);
    CALL(EXIT, total);
}
