/* What an instruction of a trace has read. */
#ifndef EMU_TTRACE_INPUTS_H
#define EMU_TTRACE_INPUTS_H

#include "emu/ttrace/search.h"

enum { MAXIMUM_INPUTS = 32 };

struct inputs {
    struct place places[MAXIMUM_INPUTS];
    uint64_t writers[MAXIMUM_INPUTS]; /* of those that are state: the record that wrote it last */
    unsigned count, omitted;
};

/* Collects the registers and the memory that the instruction read. */
void inputs_find(struct inputs *inputs, const struct ttrace_record *record);

/* Adds the state of the row that record `number` names, unless it sets it up, and the state that
 * the definition of its instruction reads: once for each instruction that wrote such state. The
 * contents of *record are lost. */
void inputs_find_state(struct inputs *inputs, struct ttrace_tool *tool,
                       const struct ttrace_record *record, uint64_t number);

#endif
