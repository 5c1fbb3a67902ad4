#include <setjmp.h>
#include <signal.h>

static jmp_buf env;
static volatile int seen;

void deep(int n)
{
    if (n == 0)
        longjmp(env, 1);
    deep(n - 1);
    seen++;
}

void in_handler(void)
{
    seen++;
}

void on_signal(int number)
{
    seen += number;
    in_handler();
}

void after_jump(void)
{
    seen++;
}

void after_signal(void)
{
    seen++;
}

/* Reads and writes the CSRs of floating point, as comparisons that raise no flags do. */
double between(double low, double value, double high)
{
    double result = __builtin_isless(value, low) ? low : value;
    unsigned mode;

    __asm__ volatile("fsrmi %0, 1\n\tfadd.d %1, %1, %2\n\tfsrm %0\n\tfrcsr %0\n\tfscsr %0"
                     : "=&r"(mode), "+f"(result)
                     : "f"(high));
    return __builtin_isgreater(result, high) ? high : result;
}

/* Atomic accesses, with conditional stores that succeed and that fail every 200th time. */
long exchange(long *shared, int number)
{
    long old;

    __atomic_fetch_add(shared, 3, __ATOMIC_SEQ_CST);
    __atomic_fetch_or((int *)shared, number, __ATOMIC_RELAXED);
    __asm__ volatile("lr.d %0, (%1)" : "=r"(old) : "r"(shared) : "memory");
    for (int i = 0; number % 200 == 0 && i < 3; i++)
        __asm__ volatile("sc.d %0, %0, (%1)" : "+r"(old) : "r"(shared) : "memory");
    return old;
}

int main(void)
{
    static long shared;

    for (int i = 0; i < 20000; i++)
        seen += (int)exchange(&shared, i);
    for (int i = 0; i < 20000; i++)
        seen += (int)between(0.5, i * 0.25, 3);
    if (!setjmp(env))
        deep(3);
    after_jump();
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    after_signal();
    return 0;
}
