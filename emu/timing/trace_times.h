/* The times of instructions in a lossless trace: --timing with --trace=FILE.ttrace. */
#ifndef EMU_TIMING_TRACE_TIMES_H
#define EMU_TIMING_TRACE_TIMES_H

#include "emu/timing/feed.h"
#include "emu/trace/trace.h"

struct trace_timer {
    struct trace *trace;
    struct ttrace_time_names names;
    uint64_t conflicts[TTRACE_CONFLICTS]; /* of the current instruction */
    struct ttrace_pass *passes;           /* since the instruction before */
    size_t pass_count, pass_capacity;
};

/* Tells the trace the times of the instructions of the feed, until feed_finish. */
void trace_timer_start(struct trace_timer *timer, struct trace *trace, struct feed *feed);
/* Tells the trace the turns that passed after the last instruction. Does nothing if the timer was
 * not started. */
void trace_timer_finish(struct trace_timer *timer);

#endif
