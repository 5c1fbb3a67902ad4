/* Sieves the primes below a million, one byte a number: stores with a stride, short loops, and a
 * working set that fits in the L2 cache. */
#include "workload.h"

enum { NUMBERS = 1000000 };

static unsigned char composite[NUMBERS];

uint32_t workload(unsigned variant)
{
    (void)variant;
    for (unsigned i = 0; i < NUMBERS; i++)
        composite[i] = 0;
    uint32_t count = 0, last = 0;
    for (unsigned i = 2; i < NUMBERS; i++) {
        if (composite[i])
            continue;
        count++;
        last = i;
        for (unsigned long j = (unsigned long)i * i; j < NUMBERS; j += i)
            composite[j] = 1;
    }
    return mix(count, last);
}
