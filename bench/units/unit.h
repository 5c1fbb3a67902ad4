/* Shared by the workloads of the tensor units. Each workload is one source that is built for the
 * machine, with its instructions, and for the host, with OpenBLAS (-DOPENBLAS) or in plain C. The
 * plain version tells the output that all have to print. All values are small integers, so that
 * every order of summing gives the same bits. */
#ifndef BENCH_UNIT_H
#define BENCH_UNIT_H

#include "../workloads/workload.h"

/* Data repeat after this many values, so that the machine fills large operands quickly. */
enum { UNIT_PERIOD = 65536 };

/* Returns the integer at place `index` of data set `set`: -3 to 3, exact in every element type. */
static inline int unit_value(unsigned set, unsigned index)
{
    uint32_t bits = (index % UNIT_PERIOD + 1) * 0x9e3779b1u ^ set * 0x85ebca6bu;

    bits = (bits ^ bits >> 15) * 0x2c1b3c6du;
    return (int)((bits >> 12) % 7) - 3;
}

/* Returns the checksum of `count` values that are integers, whether stored as such or as floats. */
static inline uint32_t unit_sum(const void *values, unsigned count, int are_floats)
{
    uint32_t sum = 0;

    for (unsigned i = 0; i < count; i++)
        sum = mix(sum, are_floats ? (uint32_t)(int32_t)((const float *)values)[i]
                                  : ((const uint32_t *)values)[i]);
    return sum;
}

#ifdef __riscv
#include "tensor.h"

/* The beginning of the scratchpad, where the linker puts this array; the operands follow. The
 * machine is that of bench/machine.yaml. */
static inline char *unit_scratchpad(void)
{
    __attribute__((section(".spm"))) static char first[64];
    char *start = first;
    __asm__("" : "+r"(start));
    return start;
}

/* Writes `count` values of a data set, each of `bytes` bytes, into the scratchpad. The first
 * UNIT_PERIOD of them are at `period`. */
static inline void unit_fill(char *to, const void *period, unsigned count, unsigned bytes)
{
    for (unsigned i = 0; i < count; i += UNIT_PERIOD) {
        unsigned part = count - i < UNIT_PERIOD ? count - i : UNIT_PERIOD;
        tensor_dma_ld((uint64_t)(to + (uint64_t)i * bytes), (uint64_t)period, part * bytes);
    }
}
#endif

#endif
