/* The state of the pipeline between two instructions, while all that the units have begun is
 * finished: then it alone decides how long the next instructions of the scalar core take. Cycles
 * count from the one in which the last instruction left D, so that the same state comes back in
 * each round of a loop. Not for a barrel. */
#ifndef LIB_TIMING_MOMENT_H
#define LIB_TIMING_MOMENT_H

#include "lib/timing/pipeline.h"

enum { MOMENT_WAITS = 22 };

struct pipeline_moment {
    bool has_turned; /* control did not go on after the last instruction (pipeline_turn) */
    uint8_t wait_count;
    uint16_t commit; /* cycles until the last instruction commits */
    /* The registers, then the classes, that the next instruction may have to wait for; ascending.
     */
    struct {
        uint16_t number; /* of a register; of a class: plus register_count */
        uint16_t cycles; /* until it can be used */
    } waits[MOMENT_WAITS];
};

/* What instructions add to the counters of the front end. */
struct pipeline_span {
    uint64_t instructions, cycles;
    uint64_t stalls[STALL_COUNT];
};

/* May an execution of this instruction be skipped, if its operands make no difference to its time?
 * Not where the window could become full. */
bool pipeline_can_skip(const struct pipeline *pipeline,
                       const struct pipeline_instruction *instruction);
/* Stores the state of the pipeline. Returns false when units are at work, when an observer is told
 * each instruction, or when the state has more than there is room for. */
bool pipeline_take_moment(const struct pipeline *pipeline, struct pipeline_moment *moment);
/* Continues after instructions that were not added, whose counters are `span`: they led from the
 * moment that the pipeline was in to this one. */
void pipeline_skip(struct pipeline *pipeline, const struct pipeline_span *span,
                   const struct pipeline_moment *moment);
/* Begins anew in this state, with all counters zero. */
void pipeline_restart(struct pipeline *pipeline, const struct pipeline_moment *moment);
/* Returns the counters since pipeline_restart. */
struct pipeline_span pipeline_since_restart(const struct pipeline *pipeline);

#endif
