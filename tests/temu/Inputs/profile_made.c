/* Calls code that it has made, which no symbol names, through many chains of calls. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef long (*made)(long);

static made code;

#define EACH(f)                                                                                    \
    f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16)    \
        f(17) f(18) f(19)
#define CALLER(number)                                                                             \
    static __attribute__((noinline)) long call##number(long x)                                     \
    {                                                                                              \
        return code(x) ^ number;                                                                   \
    }
#define CALL(number) sum += call##number(sum);

EACH(CALLER)

int main(void)
{
    /* li a1, 100; addi a0, a0, 1; addi a1, a1, -1; bnez a1, .-8; ret */
    static const uint32_t instructions[] = {0x06400593, 0x00150513, 0xfff58593, 0xfe059ce3,
                                            0x00008067};
    uint32_t *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;

    memcpy(page, instructions, sizeof instructions);
    __builtin___clear_cache((char *)page, (char *)page + sizeof instructions);
    code = (made)(uintptr_t)page;
    for (int i = 0; i < 200; i++) {
        EACH(CALL)
    }
    printf("%ld\n", sum);
    return 0;
}
