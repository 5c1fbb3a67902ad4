/* See trace_times.h. */
#include "emu/timing/trace_times.h"
#include "lib/output.h"

#include <stdlib.h>

static void add_pass(struct trace_timer *timer, const struct pipeline_record *record)
{
    if (timer->pass_count == timer->pass_capacity) {
        timer->pass_capacity = timer->pass_capacity ? 2 * timer->pass_capacity : 256;
        timer->passes = reallocarray(timer->passes, timer->pass_capacity, sizeof *timer->passes);
        if (!timer->passes)
            output_end("temu: error: out of memory\n");
    }
    timer->passes[timer->pass_count++] = (struct ttrace_pass){
        .turn = record->x, .thread = record->thread, .stall = (uint8_t)(record->stall + 1)};
}

static void observe(void *context, const struct pipeline_record *record)
{
    struct trace_timer *timer = context;

    if (record->is_bubble) {
        add_pass(timer, record);
        return;
    }
    unsigned conflicts = 0;
    for (size_t i = 0; i < record->blocker_count && conflicts < TTRACE_CONFLICTS; i++)
        timer->conflicts[conflicts++] = record->sequence - record->blockers[i];
    const struct ttrace_time time = {
        .cycles = {[TTRACE_F] = record->f,
                   [TTRACE_D] = record->d,
                   [TTRACE_Q] = record->q,
                   [TTRACE_P] = record->p,
                   [TTRACE_S] = record->s,
                   [TTRACE_X] = record->x,
                   [TTRACE_M] = record->m,
                   [TTRACE_E] = record->e,
                   [TTRACE_C] = record->c,
                   [TTRACE_PIPE] = record->unit < 0 ? TTRACE_NEVER : record->pipe},
        .stall = record->stall < STALL_ALL ? (uint8_t)(record->stall + 1) : 0,
        .wait = record->wait != UNIT_EMPTY ? (uint8_t)(record->wait + 1) : 0,
        .unit = (uint8_t)(record->unit + 1),
        .blocker = record->wait != UNIT_EMPTY && record->blocker != PIPELINE_NEVER
                       ? record->sequence - record->blocker
                       : 0,
        .conflicts = timer->conflicts,
        .conflict_count = conflicts,
        .row = record->row < UINT8_MAX ? (uint8_t)(record->row + 1) : 0,
        .located = record->located,
        .passes = timer->passes,
        .pass_count = timer->pass_count,
    };

    trace_time(timer->trace, record->sequence + 1, &time, &timer->names);
    timer->pass_count = 0;
}

void trace_timer_start(struct trace_timer *timer, struct trace *trace, struct feed *feed)
{
    struct ttrace_time_names *names = &timer->names;

    timer->trace = trace;
    for (unsigned i = 0; i < STALL_ALL; i++)
        names->names[TTRACE_STALL_NAMES][i] = pipeline_stall_names[i];
    names->counts[TTRACE_STALL_NAMES] = STALL_ALL;
    for (unsigned i = 0; i < UNIT_EMPTY; i++)
        names->names[TTRACE_WAIT_NAMES][i] = pipeline_state_names[i];
    names->counts[TTRACE_WAIT_NAMES] = UNIT_EMPTY;
    for (unsigned i = 0; i < time_unit_count; i++)
        names->names[TTRACE_UNIT_NAMES][i] = time_units[i].name;
    names->counts[TTRACE_UNIT_NAMES] = (unsigned)time_unit_count;
    pipeline_observe(feed->pipeline, observe, timer);
    feed->has_observer = true;
}

void trace_timer_finish(struct trace_timer *timer)
{
    struct trace *trace = timer->trace;

    if (trace && timer->pass_count && trace->on && !trace_finished(trace))
        trace_passes(trace, timer->passes, timer->pass_count, &timer->names);
}
