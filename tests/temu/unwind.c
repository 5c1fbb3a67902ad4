/* The backtrace of optimized code without frame pointers uses its frame information: with and
 * without .eh_frame_hdr, from .debug_frame, through a call of an unmapped address, and through a
 * signal handler. It shows source lines of all calls.
 *
 * RUN: %gcc -O2 -g -static -fomit-frame-pointer -o %t %s
 * RUN: sh -c '%temu %t load; test $? = 139' 2>&1 | FileCheck %s --check-prefixes=LOAD,OUTER
 * LOAD: load access fault (cause 5, address 0x10: the null page): SIGSEGV
 * LOAD: backtrace
 * LOAD-NEXT: #0 0x{{[0-9a-f]+}} <peek{{(\+0x[0-9a-f]+)?}}> at {{.*}}unwind.c:[[#@LINE+39]]
 *
 * RUN: sh -c '%temu %t nowhere; test $? = 139' 2>&1 | FileCheck %s --check-prefixes=NOWHERE,OUTER
 * NOWHERE: instruction fetch fault (cause 1, address 0x20: the null page): SIGSEGV
 * NOWHERE: backtrace
 * NOWHERE-NEXT: #0 0x20
 * NOWHERE-NEXT: #1 0x{{[0-9a-f]+}} <jump+0x{{[0-9a-f]+}}> at {{.*}}unwind.c:[[#@LINE+38]]
 *
 * RUN: sh -c '%temu %t handler; test $? = 139' 2>&1 | FileCheck %s --check-prefixes=HANDLER,OUTER
 * HANDLER: #0 0x{{[0-9a-f]+}} <handler{{(\+0x[0-9a-f]+)?}}> at {{.*}}unwind.c:[[#@LINE+41]]
 * HANDLER-NEXT: #1 0x{{[0-9a-f]+}} <signal handler called>
 * HANDLER: <send+0x{{[0-9a-f]+}}> at
 *
 * OUTER: <descend+0x{{[0-9a-f]+}}> at {{.*}}unwind.c:[[#@LINE+53]]
 * OUTER-NEXT: <descend+0x{{[0-9a-f]+}}> at {{.*}}unwind.c:[[#@LINE+52]]
 * OUTER-NEXT: <descend+0x{{[0-9a-f]+}}> at {{.*}}unwind.c:[[#@LINE+51]]
 * OUTER-NEXT: <main+0x{{[0-9a-f]+}}> at {{.*}}unwind.c:[[#@LINE+67]]
 * OUTER-NEXT: <__libc_start_call_main+0x{{[0-9a-f]+}}>
 * OUTER-NEXT: <__libc_start_main{{.*}}+0x{{[0-9a-f]+}}>
 * OUTER-NEXT: <_start+0x{{[0-9a-f]+}}>
 * OUTER-NOT: #
 *
 * RUN: %gcc -O2 -g -ffreestanding -nostdlib -static -DALONE -fno-asynchronous-unwind-tables -Wl,--no-eh-frame-hdr -o %t.debug %s
 * RUN: sh -c '%temu %t.debug; test $? = 139' 2>&1 | FileCheck %s --check-prefix=ALONE
 * RUN: %gcc -O2 -g0 -ffreestanding -nostdlib -static -DALONE -fasynchronous-unwind-tables -Wl,--no-eh-frame-hdr -o %t.eh %s
 * RUN: sh -c '%temu %t.eh; test $? = 139' 2>&1 | FileCheck %s --check-prefix=ALONE
 * ALONE: #0 0x{{[0-9a-f]+}} <peek{{(\+0x[0-9a-f]+)?}}>
 * ALONE-NEXT: #1 0x{{[0-9a-f]+}} <descend+0x{{[0-9a-f]+}}>
 * ALONE-NEXT: #2 0x{{[0-9a-f]+}} <descend+0x{{[0-9a-f]+}}>
 * ALONE-NEXT: #3 0x{{[0-9a-f]+}} <descend+0x{{[0-9a-f]+}}>
 * ALONE-NEXT: #4 0x{{[0-9a-f]+}} <_start+0x{{[0-9a-f]+}}>
 * ALONE-NOT: #5
 */
#ifndef ALONE
#include <signal.h>
#endif

__attribute__((noinline, noclone)) int peek(const volatile int *where)
{
    return *where;
}

__attribute__((noinline, noclone)) int jump(const volatile int *where)
{
    return ((int (*)(void))where)() + 1;
}

#ifndef ALONE
static void handler(int signal)
{
    *(volatile int *)8 = signal;
}

__attribute__((noinline, noclone)) int send(const volatile int *where)
{
    raise(SIGUSR1);
    return *where;
}
#endif

__attribute__((noinline, noclone)) int descend(int (*act)(const volatile int *),
                                               const volatile int *where, int depth)
{
    volatile char room[100];

    room[depth] = 1;
    int below = depth ? descend(act, where, depth - 1) : act(where);
    return below + room[depth];
}

#ifdef ALONE
void _start(void)
{
    descend(peek, (const int *)16, 2);
    for (;;)
        ;
}
#else
int main(int count, char **arguments)
{
    signal(SIGUSR1, handler);
    char what = arguments[count - 1][0];
    int (*act)(const volatile int *) = what == 'l' ? peek : what == 'n' ? jump : send;
    return descend(act, (const int *)(what == 'n' ? 32l : 16l), 2) + 1;
}
#endif
