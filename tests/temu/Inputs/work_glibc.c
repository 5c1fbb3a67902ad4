/* Work that the C library does: sorting, searching, allocating, formatting and reading numbers,
 * strings, mathematics, a jump over frames. All from a start of its own, so that two emulators
 * begin with the same stack, arguments and auxiliary vector. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* argc, argv, envp and auxv (AT_PAGESZ, AT_RANDOM, AT_HWCAP) above a stack in .data. */
asm(".data\n"
    "    .balign 16\n"
    "    .space 0x20000\n"
    "prepared_stack:\n"
    "    .dword 1, prepared_name, 0, 0\n"
    "    .dword 6, 4096, 25, prepared_random, 16, 0, 0, 0\n"
    "prepared_name: .asciz \"work\"\n"
    "prepared_random: .ascii \"0123456789abcdef\"\n"
    "    .text\n"
    "    .globl prepared_start\n"
    "prepared_start:\n"
    "    la sp, prepared_stack\n"
    "    li a0, 0\n"
    "    j _start\n");

/* Where malloc keeps a random number that it got from the system; the linker is told the address,
 * as nm finds it. */
extern char random_key[];
static unsigned long *const volatile key = (unsigned long *)random_key;

static char output[1 << 16];
static __thread int of_this_thread = 7;
static jmp_buf jump;

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

    return x < y ? -1 : x > y;
}

static unsigned next(unsigned *state)
{
    return *state = *state * 1664525 + 1013904223;
}

/* Up to 1024 bytes: for more, qsort asks how much memory the machine has. */
static unsigned long sort(unsigned count)
{
    static unsigned values[2000];
    unsigned state = 1;

    for (unsigned i = 0; i < count; i++)
        values[i] = next(&state) >> 8;
    qsort(values, count, sizeof *values, by_value);
    unsigned key = values[count / 3];
    return (unsigned *)bsearch(&key, values, count, sizeof *values, by_value) - values;
}

static unsigned long allocate(unsigned rounds)
{
    static char *blocks[64];
    unsigned long sum = 0;
    unsigned state = 5;

    for (unsigned i = 0; i < rounds; i++) {
        unsigned slot = next(&state) >> 16 & 63, size = 40 + (next(&state) >> 18 & 1023);
        if (blocks[slot]) {
            sum += blocks[slot][7];
            free(blocks[slot]);
        }
        blocks[slot] = i % 3 ? malloc(size) : calloc(1, size);
        memset(blocks[slot], i, 40);
        if (i % 5 == 0)
            blocks[slot] = realloc(blocks[slot], 2 * size);
    }
    return sum;
}

static double numbers(unsigned rounds)
{
    char text[64], *end;
    double sum = 0;

    for (unsigned i = 1; i <= rounds; i++) {
        double value = sin(i) * exp(i % 20) + pow(i, 1.0 / 3) + sqrt(i) + log(i) + atan2(i, 3);
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%a", value);
        if (strtod(text, &end) != value || *end)
            abort();
        sum += value + strtol(text, NULL, 0);
    }
    return sum;
}

static unsigned long strings(unsigned rounds)
{
    char text[200] = "";
    wchar_t wide[32];
    unsigned long sum = 0;

    for (unsigned i = 0; i < rounds; i++) {
        snprintf(text, sizeof text, "%-10s|%08x|%5d|%c|%ls|%.3f|%lld", "left", i * 77777, -(int)i,
                 'a' + i % 26, L"wide", i / 7.0, -5000000000ll * i);
        sum += strlen(text) + (strstr(text, "wide") - text) +
               (unsigned char)*strpbrk(text, "0123456789") + memcmp(text, "left", 4);
        sum += mbstowcs(wide, "wider", 32) + wcslen(wide);
        char *save, *word = strtok_r(text, "|", &save);
        for (; word; word = strtok_r(NULL, "|", &save))
            sum = sum * 31 + *word;
    }
    return sum;
}

static void leave(int depth)
{
    if (depth == 0)
        longjmp(jump, ++of_this_thread);
    leave(depth - 1);
}

int main(void)
{
    *key = 0x123456789;
    setvbuf(stdout, output, _IOFBF, sizeof output);
    for (int i = 0; i < ROUNDS; i++) {
        int jumped = setjmp(jump);
        if (!jumped)
            leave(20);
        printf("%d: %d %lu %lu %.17g %lu\n", i, jumped, sort(120), allocate(100), numbers(8),
               strings(20));
    }
    return 42;
}
