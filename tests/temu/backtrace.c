/* The backtrace of compiled code with frame pointers: a leaf without a saved ra, recursion, source
 * lines of the calls.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O0 -g -ffreestanding -nostdlib -static -Wl,--no-relax -o %t %s
 * RUN: sh -c '%temu %t; test $? = 139' 2>&1 | FileCheck %s
 * CHECK: load access fault (cause 5, address 0x10: the null page): SIGSEGV
 * CHECK-NEXT: pc 0x{{[0-9a-f]+}} <peek+0x{{[0-9a-f]+}}> at {{.*}}backtrace.c:[[#@LINE+12]]
 * CHECK: backtrace
 * CHECK-NEXT: #0 0x{{[0-9a-f]+}} <peek+0x{{[0-9a-f]+}}> at {{.*}}backtrace.c:[[#@LINE+10]]
 * CHECK-NEXT: #1 0x{{[0-9a-f]+}} <descend+0x{{[0-9a-f]+}}> at {{.*}}backtrace.c:[[#@LINE+14]]
 * CHECK-NEXT: #2 0x{{[0-9a-f]+}} <descend+0x{{[0-9a-f]+}}> at {{.*}}backtrace.c:[[#@LINE+13]]
 * CHECK-NEXT: #3 0x{{[0-9a-f]+}} <descend+0x{{[0-9a-f]+}}> at {{.*}}backtrace.c:[[#@LINE+12]]
 * CHECK-NEXT: #4 0x{{[0-9a-f]+}} <_start+0x{{[0-9a-f]+}}> at {{.*}}backtrace.c:[[#@LINE+18]]
 * CHECK-NOT: #5
 */
static int peek(const volatile int *where)
{
    /* The leaf. */
    return *where;
}

static int descend(const volatile int *where, int depth)
{
    int below = depth ? descend(where, depth - 1) : peek(where);

    return below + 1;
}

void _start(void)
{
    descend((const int *)16, 2);
    for (;;)
        ;
}
