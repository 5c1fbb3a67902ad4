/* Copies 64 KiB, a word of 64 bits at a time in a loop unrolled by hand, as a simple memcpy does.
 * All loads and stores hit the L2 cache. */
#include "workload.h"

enum { WORDS = 8192, COPIES = 64 };

static uint64_t from[WORDS], to[WORDS];

__attribute__((noinline)) static void copy(uint64_t *restrict target,
                                           const uint64_t *restrict source, unsigned long words)
{
    for (unsigned long i = 0; i < words; i += 4) {
        target[i] = source[i];
        target[i + 1] = source[i + 1];
        target[i + 2] = source[i + 2];
        target[i + 3] = source[i + 3];
    }
}

uint32_t workload(unsigned variant)
{
    uint32_t sum = 0, state = variant + 1;

    for (int i = 0; i < WORDS; i++)
        from[i] = (uint64_t)draw(&state) << 32 | draw(&state);
    for (int i = 0; i < COPIES; i++) {
        from[i * 97] ^= (uint64_t)i;
        copy(to, from, WORDS);
        sum = mix(sum, (uint32_t)(to[i * 97] ^ to[WORDS - 1 - i] >> 32));
    }
    return sum;
}
