/* A log of instructions. An executor that knows which effects its instructions have writes only
 * their values, and the trace is made from them later.
 *
 * A step is an instruction in a block of instructions that follow each other. The log has for each
 * execution of a block the place of its first step that is executed, and for each step the words of
 * its effects in order: the address of a load or store, and the value. The executions are complete,
 * except for the last one. */
#ifndef LIB_TRACE_LOG_H
#define LIB_TRACE_LOG_H

#include "lib/arena.h"
#include "lib/trace/ttrace.h"

enum {
    LOG_EFFECTS = 4, /* the most that a step has, */
    LOG_WORDS = 5,   /* and the most words of them */
};

struct log_step {
    uint64_t pc, word;
    uint64_t shapes[LOG_EFFECTS];
    uint8_t length, privilege, flags; /* as in struct ttrace_record */
    uint8_t count, words;             /* of effects */
    uint8_t remaining;                /* steps to the end of the block, this one included */
};

struct log_steps {
    struct log_step *items; /* by place; the first one is not used */
    size_t count, capacity;
    uint64_t resets; /* how often all were forgotten */
};

/* Returns the place of the first one of `count` steps of a block. The others have the next places,
 * and the place after them stands for none. */
uint32_t log_steps_add(struct log_steps *steps, struct arena *arena, unsigned count);
/* Forgets all steps. */
void log_steps_forget(struct log_steps *steps);
/* Learns the kinds of effects from an execution, whose record this is. They are the same each time,
 * except for a CSR at the end. Returns false when a log cannot have them. */
bool log_step_learn(struct log_step *step, const struct ttrace_record *record,
                    const struct effect *effects, size_t count);
/* Sets the effects of the recorder to those of an execution. Returns the end of the words. */
const uint64_t *log_take(const struct log_step *step, const uint64_t *words,
                         struct recorder *recorder);

#endif
