/* What the workloads of the tensor units share. Each is one source that is built for the machine, with its instructions, and for the host,
 * with OpenBLAS (-DOPENBLAS) or in plain C, which says what all have to print. All values are small integers, so that every way of
 * summing gives the same bits. */
#ifndef BENCH_UNIT_H
#define BENCH_UNIT_H

#include "../workloads/workload.h"

/* The integer at place `index` of data set `set`: -3 to 3, exact in every element type. */
static inline int unit_value(unsigned set, unsigned index)
{
    uint32_t bits = (index + 1) * 0x9e3779b1u ^ set * 0x85ebca6bu;
    bits = (bits ^ bits >> 15) * 0x2c1b3c6du;
    return (int)((bits >> 12) % 7) - 3;
}

/* Checksum of `count` values that are integers, whether stored as such or as floats. */
static inline uint32_t unit_sum(const void *values, unsigned count, int are_floats)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum = mix(sum, are_floats ? (uint32_t)(int32_t)((const float *)values)[i] : ((const uint32_t *)values)[i]);
    return sum;
}

#ifdef __riscv
#include "tensor.h"

/* The first bytes of the scratchpad, where the linker puts it; all else follows. The configuration is bench/machine.yaml. */
static inline char *unit_scratchpad(void)
{
    __attribute__((section(".spm"))) static char first[64];
    char *start = first;
    __asm__("" : "+r"(start));
    return start;
}
#endif

#endif
