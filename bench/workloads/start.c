/* The frame of every workload: reads the command line, repeats the work, prints the checksum in
 * eight hexadecimal digits.
 *
 * For RISC-V it is freestanding and uses only the system calls write and exit, so that emulators
 * without an operating system can run it, too. With -DHOSTED, and on the host, it is an ordinary
 * program that uses the C library. */
#include "workload.h"

static unsigned number(const char *text)
{
    unsigned value = 0;

    while (*text >= '0' && *text <= '9')
        value = value * 10 + (unsigned)(*text++ - '0');
    return value;
}

/* Prints the line. */
static void run(int argc, char **argv, char line[9])
{
    unsigned repeats = argc > 1 ? number(argv[1]) : 1, variant = argc > 2 ? number(argv[2]) : 0;
    uint32_t sum = 0;

    while (repeats--)
        sum = mix(sum, workload(variant));
    for (int i = 0; i < 8; i++)
        line[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
    line[8] = '\n';
}

#ifdef __riscv
unsigned floating_flags(void)
{
    unsigned flags;

    __asm__ volatile("frflags %0" : "=r"(flags));
    return flags;
}
#else
#include <fenv.h>

unsigned floating_flags(void)
{
    static const int order[] = {FE_INEXACT, FE_UNDERFLOW, FE_OVERFLOW, FE_DIVBYZERO, FE_INVALID};
    unsigned flags = 0;

    for (unsigned i = 0; i < 5; i++)
        flags |= (unsigned)(fetestexcept(order[i]) != 0) << i;
    return flags;
}
#endif

#if defined __riscv && !defined HOSTED
static long system_call(long number, long first, const void *second, long third)
{
    register long a0 __asm__("a0") = first, a2 __asm__("a2") = third, a7 __asm__("a7") = number;
    register const void *a1 __asm__("a1") = second;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

enum { WRITE = 64, EXIT = 93 };

__attribute__((used, noreturn)) static void begin(long *stack)
{
    char line[9];

    run((int)stack[0], (char **)(stack + 1), line);
    long written = system_call(WRITE, 1, line, sizeof line);
    system_call(EXIT, written == sizeof line ? 0 : 1, 0, 0);
    __builtin_unreachable();
}

__asm__(".globl _start\n"
        "_start:\n"
        "    .option push\n"
        "    .option norelax\n"
        "    la gp, __global_pointer$\n"
        "    .option pop\n"
        "    mv a0, sp\n"
        "    tail begin\n");
#else
#include <stdio.h>

int main(int argc, char **argv)
{
    char line[9];

    run(argc, argv, line);
    return fwrite(line, 1, sizeof line, stdout) == sizeof line && fflush(stdout) == 0 ? 0 : 1;
}
#endif
