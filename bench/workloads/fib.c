/* Computes Fibonacci numbers recursively: calls, returns and the stack. */
#include "workload.h"

__attribute__((noinline)) static unsigned fib(unsigned n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

uint32_t workload(unsigned variant)
{
    return fib(27 + (variant & 1));
}
