/* A compiled program with integers, floats and doubles prints the same as under qemu-riscv64, at
 * every optimization level.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O2 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: sh -c '%qemu %t >%t.wanted; test $? = 55' && sh -c '%temu %t >%t.found; test $? = 55' && cmp %t.wanted %t.found
 * RUN: sh -c '%temu --stats %t 2>/dev/null >%t.found; test $? = 55' && cmp %t.wanted %t.found
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O0 -ffreestanding -nostdlib -static -Wl,--no-relax -I %S/Inputs -o %t %s
 * RUN: sh -c '%qemu %t >%t.wanted; test $? = 55' && sh -c '%temu %t >%t.found; test $? = 55' && cmp %t.wanted %t.found
 * RUN: FileCheck %s <%t.found
 * CHECK: fibonacci 6765
 * CHECK: primes 2262
 */
#include "guest.h"

static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int count_primes(int n)
{
    static unsigned char composite[20000];
    int count = 0;

    for (int i = 2; i < n; i++) {
        count += !composite[i];
        for (int j = 2 * i; j < n; j += i)
            composite[j] = 1;
    }
    return count;
}

static long hash(const void *bytes, int n)
{
    unsigned long h = 0xcbf29ce484222325;

    for (int i = 0; i < n; i++)
        h = (h ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return h;
}

static void floats(void)
{
    static double d[64];
    static float f[64];
    double x = 0.5, sum = 0;
    float y = 0.25f;

    for (int i = 0; i < 4000; i++) {
        x = 3.9 * x * (1 - x);
        y = 3.7f * y * (1 - y) + (float)x * 0.001f;
        if (y > 1)
            y = 0.5f;
        d[i % 64] += x / (y + 1);
        f[i % 64] -= y;
        sum += (double)(long)(x * 1e6) - (double)(int)(y * 1e3f);
    }
    print_number("doubles", hash(d, sizeof d));
    print_number("floats", hash(f, sizeof f));
    print_number("sum", (long)sum);
}

static void sort(void)
{
    static int values[500];
    unsigned seed = 1;

    for (int i = 0; i < 500; i++)
        values[i] = seed = seed * 1103515245 + 12345;
    for (int i = 0; i < 500; i++)
        for (int j = i; j > 0 && values[j - 1] > values[j]; j--) {
            int t = values[j];
            values[j] = values[j - 1];
            values[j - 1] = t;
        }
    print_number("sorted", hash(values, sizeof values));
}

void _start(void)
{
    print_number("fibonacci", fibonacci(20));
    print_number("primes", count_primes(20000));
    floats();
    sort();
    CALL(EXIT, 55);
}
