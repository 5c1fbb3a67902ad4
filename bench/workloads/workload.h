/* What a workload offers to start.c, which makes a program of it: `NAME REPEATS [VARIANT]` does the
 * work REPEATS times and prints the checksum. The same source is built for RISC-V and for the host,
 * so that the host's compiler says what every emulator has to print. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdint.h>

/* Does the work once. Every call with the same variant executes the same instructions, so that
 * their number grows by the same amount with each repeat. `variant` is the number on the command
 * line, 0 without one. Returns a checksum of all that was computed. */
uint32_t workload(unsigned variant);

/* Takes a 32-bit word into a checksum. */
static inline uint32_t mix(uint32_t sum, uint32_t word)
{
    return (sum ^ word) * 0x9e3779b1u + (sum >> 15);
}

/* The next of a sequence of pseudo-random numbers. */
static inline uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* The IEEE exception flags that are set now, in the order of RISC-V's fflags: NV DZ OF UF NX from
 * bit 4 down. */
unsigned floating_flags(void);

#endif
