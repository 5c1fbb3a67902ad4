/* Reads a trace segment by segment; with --follow, until the run that writes it has ended. */
#ifndef EMU_TTRACE_FOLLOW_H
#define EMU_TTRACE_FOLLOW_H

#include "emu/ttrace/ttrace.h"

/* Who reads. */
struct reader {
    void *context;
    /* Reads a segment. Returns false after a diagnostic. `trace` is not always tool->trace. */
    bool (*read)(void *context, struct ttrace *trace, const struct ttrace_segment *segment);
    bool (*is_finished)(const void *context); /* Has the reader enough? */
    void (*flush)(void *context);             /* writes what was made of segments */
};

/* Gives the segments to the reader, in order. Returns false after a diagnostic. */
bool follow(struct ttrace_tool *tool, const struct reader *reader);
/* Waits until a run has begun to write the trace of this name. */
void follow_wait(const char *name);

#endif
