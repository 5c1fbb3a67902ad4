/* A nested function of GNU C whose address is taken is reached through code that its parent writes
 * to the stack. The program header of the stack says whether that may be executed. QEMU does the
 * same.
 *
 * RUN: %gcc -O2 -static -w -o %t %s && %qemu %t >%t.qemu && FileCheck %s <%t.qemu
 * RUN: for tier in interp translate optimize auto; do %temu --tier=$tier %t | diff %t.qemu - || exit 1; done
 * RUN: %temu --trace=/dev/null %t | diff %t.qemu -
 * RUN: mkdir -p %t.bin && ln -sf %tld %t.bin/ld && %gcc -O2 -static -w -B%t.bin/ -o %t.tld %s && %temu %t.tld | diff %t.qemu -
 * CHECK: sum 338350, the deepest 20
 *
 * RUN: %gcc -O2 -static -w -z noexecstack -o %t.fails %s && not --crash %qemu %t.fails
 * RUN: %temu %t.fails 2>%t.errors; test $? = 139 && FileCheck %s --check-prefix=FAILS <%t.errors
 * FAILS: instruction fetch fault (cause 1, address 0x{{.*}}: not executable): SIGSEGV
 */
#include <stdio.h>

static long each(const int *values, int count, long (*use)(long))
{
    long sum = 0;

    for (int i = 0; i < count; i++)
        sum += use(values[i]);
    return sum;
}

/* The parent's stack frame is another one at each depth. */
static int descend(int depth, int (*above)(void))
{
    int here(void)
    {
        return above() + 1;
    }

    return depth ? descend(depth - 1, here) : here();
}

static int zero(void)
{
    return 0;
}

int main(void)
{
    int values[100];
    long factor;

    long multiply(long value)
    {
        return value * factor++;
    }

    for (int i = 0; i < 100; i++)
        values[i] = i + 1;
    factor = 1;
    printf("sum %ld, the deepest %d\n", each(values, 100, multiply), descend(19, zero));
}
