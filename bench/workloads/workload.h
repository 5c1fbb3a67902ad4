/* The interface between a workload and start.c, which makes it a program: `NAME REPEATS [VARIANT]`
 * does the work REPEATS times and prints the checksum. The same source is built for RISC-V and for
 * the host; the host's output is what every emulator has to print. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdint.h>

/* Does the work once and returns a checksum of all results. Every call with the same variant
 * executes the same number of instructions. `variant` is the number on the command line, or 0. */
uint32_t workload(unsigned variant);

/* Adds a 32-bit word to a checksum. */
static inline uint32_t mix(uint32_t sum, uint32_t word)
{
    return (sum ^ word) * 0x9e3779b1u + (sum >> 15);
}

/* Returns the next number of a pseudo-random sequence. */
static inline uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Returns the IEEE exception flags that are set, in the order of RISC-V's fflags: NV DZ OF UF NX
 * from bit 4 down. */
unsigned floating_flags(void);

#endif
