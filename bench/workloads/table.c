/* Counts numbers in a hash table with open addressing: loads that depend on one another, branches
 * that are hard to predict, and a working set that fits in the L2 cache. */
#include "workload.h"

enum { BITS = 14, SLOTS = 1 << BITS, DRAWS = 40000, KINDS = 11000 };

static struct {
    uint64_t key; /* 0: none */
    uint32_t count;
} slots[SLOTS];

static uint32_t count(uint64_t key)
{
    uint64_t at = key * 0x9e3779b97f4a7c15u >> (64 - BITS);

    while (slots[at].key && slots[at].key != key)
        at = (at + 1) % SLOTS;
    slots[at].key = key;
    return ++slots[at].count;
}

uint32_t workload(unsigned variant)
{
    uint32_t sum = 0, state = variant + 1;

    for (int i = 0; i < SLOTS; i++)
        slots[i].key = slots[i].count = 0;
    for (int i = 0; i < DRAWS; i++)
        sum = mix(sum, count((((uint64_t)draw(&state) * KINDS >> 24) + 1) << 16));
    return sum;
}
