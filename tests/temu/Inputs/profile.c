/* Calls of all kinds: recursion, through pointers, in tail position, and out of a library. */
typedef int operation(int);

static volatile int sum;

static void put(const char *text, long length)
{
    register long a0 __asm__("a0") = 1, a2 __asm__("a2") = length, a7 __asm__("a7") = 64;
    register const char *a1 __asm__("a1") = text;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
}

__attribute__((noinline)) int leaf(int x)
{
    sum += x;
    return x * 3;
}

__attribute__((noinline)) int in_tail(int x)
{
    return leaf(x + 1);
}

__attribute__((noinline)) int is_odd(int x);

__attribute__((noinline)) int is_even(int x)
{
    return x == 0 ? 1 : 1 + is_odd(x - 1);
}

__attribute__((noinline)) int is_odd(int x)
{
    return x == 0 ? 0 : 2 + is_even(x - 1);
}

__attribute__((noinline)) int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static operation *const operations[] = {leaf, in_tail, is_even, fibonacci};

__attribute__((noinline)) int apply(int which, int value)
{
    return operations[which](value) + 1;
}

void _start(void)
{
    for (int i = 0; i < 12; i++)
        sum += apply(i % 4, i);
    put("done\n", 5);
    register long a0 __asm__("a0") = 0, a7 __asm__("a7") = 93;
    __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
}
