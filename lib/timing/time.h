/* The time of an instruction: its cycles and its occupancy, by the description of the instruction
 * set, whose `cycles`, `occupancy` and `resources` are functions of what an execution of the
 * instruction was given (timing.md, 3). The caller has executed it (emu/timing/), or knows its
 * operands without executing it (tobjdump). */
#ifndef LIB_TIMING_TIME_H
#define LIB_TIMING_TIME_H

#include "lib/machine/config.h"
#include "lib/timing/walk.h"
#include <stddef.h>
#include <stdint.h>

/* Reads the state of the units after the execution. `number` counts the states of the ISA
 * description; `indices` has as many values as the state has indices. */
struct time_state {
    uint64_t (*read)(const struct time_state *state, unsigned number, const uint64_t *indices);
};

/* An execution of an instruction that did not trap, as far as its time depends on it. */
struct timed {
    const struct config *config;
    const struct time_state *state; /* NULL: no formula of the instruction needs it */
    unsigned id;
    /* The value of each operand of isa_instructions[id], which is not compressed, in their order,
     * as a body has it. Those of registers that are only written, of groups, and of registers wider
     * than 64 bits are not read. */
    const uint64_t *operands;
    uint64_t bytes_read, bytes_written; /* in memory, as a trace shows them */
    uint64_t network_cycles;            /* of the network of the sparse unit */
};

/* A unit that executes instructions beside the scalar core. */
struct time_unit {
    const char *name;
    uint64_t (*resources)(const struct timed *timed); /* uses timed->config only */
};

extern const struct time_unit time_units[];
extern const size_t time_unit_count;

/* Returns the cycles from the start of the instruction until its result is usable; at least 1. */
uint64_t time_cycles(const struct timed *timed);
/* Returns the cycles after which its unit, or its class in the scalar core, takes the next one. */
uint64_t time_occupancy(const struct timed *timed);
/* Returns the latency that the configuration gives the class of the instruction; 0: none, as all
 * instructions of the class have cycles of their own. */
uint64_t time_latency(const struct config *config, unsigned id);
/* Do the cycles and the occupancy depend on the configuration only? */
bool time_is_fixed(unsigned id);
/* Returns what the instruction does to a walk, and in *row which operand is the row. */
enum walk_use time_walk(unsigned id, unsigned *row);
/* Returns the unit whose row the instruction names, and in *row which operand is the row; NULL:
 * none. */
const char *time_row(unsigned id, unsigned *row);
/* Does the instruction, or a read of the CSR, wait for all tensor instructions before it? */
bool time_waits(unsigned id);
bool time_csr_waits(unsigned number);
/* Returns the unit that executes the instruction. NULL: the scalar core. */
const struct time_unit *time_unit_of(unsigned id);
/* Returns how many instructions the unit executes at once; at least 1. */
uint64_t time_resources(const struct time_unit *unit, const struct config *config);

#endif
