/* From the word of an instruction and the settings to what the pipeline has to know of it, as far
 * as all its executions have it in common. */
#ifndef LIB_TIMING_WORD_H
#define LIB_TIMING_WORD_H

#include "lib/isa.h"
#include "lib/machine/config.h"
#include "lib/timing/pipeline.h"
#include "lib/timing/time.h"

struct timed_word {
    /* The base of a compressed instruction. NULL: nothing that could be decoded. */
    const struct isa_instruction *instruction;
    int64_t fields[ISA_OPERAND_LIMIT]; /* of its operands */
    unsigned row;                      /* which operand is the row of the walk, if it uses one */
    bool is_fixed; /* `model` has its cycles and its occupancy; else it must be executed */
    struct pipeline_instruction model;
    uint16_t reads[PIPELINE_OPERANDS], writes[PIPELINE_OPERANDS];
};

/* Describes the word. `model` refers to the struct, which must stay where it is. */
void timed_word_init(struct timed_word *timed, const struct config *config, uint64_t word,
                     int length);
/* Fills in what depends on the operands: cycles, occupancy and what it does to a walk, whose row
 * has as many addresses; 0: no limit. */
void timed_word_execute(const struct timed_word *timed, struct pipeline_instruction *instruction,
                        const struct timed *execution, uint64_t addresses);
/* Describes a system call, which reads and writes registers. */
void timed_word_call(struct pipeline_instruction *instruction);
/* Returns the settings of the pipeline. */
struct pipeline_settings timed_word_settings(const struct config *config);

#endif
