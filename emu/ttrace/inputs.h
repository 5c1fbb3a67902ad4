/* What an instruction of a trace has read. */
#ifndef EMU_TTRACE_INPUTS_H
#define EMU_TTRACE_INPUTS_H

#include "emu/ttrace/search.h"

enum { MAXIMUM_INPUTS = 16 };

struct inputs {
    struct place places[MAXIMUM_INPUTS];
    unsigned count, omitted;
};

/* Collects the registers and the memory that the instruction read. */
void inputs_find(struct inputs *inputs, const struct ttrace_record *record);

#endif
