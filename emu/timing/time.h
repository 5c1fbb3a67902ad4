/* The time of an instruction: its cycles and its occupancy, by the description of the instruction
 * set, whose `cycles`, `occupancy` and `resources` are functions of what an execution of the
 * instruction was given (timing.md, 3). */
#ifndef EMU_TIMING_TIME_H
#define EMU_TIMING_TIME_H

#include "emu/config.h"
#include "instruction_ids.h"
#include "lib/timing/walk.h"
#include <stddef.h>
#include <stdint.h>

struct machine;
struct hart;

/* An execution of an instruction that did not trap, as far as its time depends on it. */
struct timed {
    struct machine *machine; /* its settings; the state of its units is that after the execution */
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
    uint64_t (*resources)(const struct timed *timed); /* uses timed->machine only */
};

extern const struct time_unit time_units[];
extern const size_t time_unit_count;

/* Stores the values of the operands of a word that isa_decode decoded as `instruction`, before it
 * is executed. `values` has ISA_OPERAND_LIMIT places. Returns the instruction that the operands
 * belong to, the base of a compressed one. */
const struct isa_instruction *time_operands(const struct hart *hart,
                                            const struct isa_instruction *instruction,
                                            uint64_t word, uint64_t *values);
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
/* Does the instruction, or a read of the CSR, wait for all tensor instructions before it? */
bool time_waits(unsigned id);
bool time_csr_waits(unsigned number);
/* Returns the unit that executes the instruction. NULL: the scalar core. */
const struct time_unit *time_unit_of(unsigned id);
/* Returns how many instructions the unit executes at once; at least 1. */
uint64_t time_resources(const struct time_unit *unit, struct machine *machine);

#endif
