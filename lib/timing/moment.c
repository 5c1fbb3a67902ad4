/* See moment.h. An instruction leaves D at least a cycle after the one before. So a register that
 * is usable in the next cycle delays nothing. */
#include "lib/timing/moment.h"
#include "lib/timing/parts.h"
#include <string.h>

/* The results of these instructions are usable in fewer cycles than the window has instructions, so
 * the window does not become full because of them. */
bool pipeline_can_skip(const struct pipeline *pipeline,
                       const struct pipeline_instruction *instruction)
{
    return instruction->unit < 0 && instruction->walk == WALK_NONE &&
           instruction->cycles < pipeline->settings.window;
}

/* Adds a register or a class that can be used at `ready`. Returns false if there is no room. */
static bool add_wait(struct pipeline_moment *moment, unsigned number, uint64_t leave,
                     uint64_t ready)
{
    if (ready <= leave + 1)
        return true;
    if (ready - leave > UINT16_MAX || moment->wait_count == MOMENT_WAITS)
        return false;
    moment->waits[moment->wait_count].number = (uint16_t)number;
    moment->waits[moment->wait_count++].cycles = (uint16_t)(ready - leave);
    return true;
}

/* Can the window become full because of the instructions up to now? The one that is a window after
 * one of these is in D when as many cycles have passed as there are instructions before it, or
 * later. */
static bool may_fill_window(const struct pipeline *pipeline)
{
    uint64_t window = pipeline->settings.window, count = pipeline->count;

    for (uint64_t i = count; i > 0 && i + window > count; i--) {
        uint64_t commit = pipeline->pending[(i - 1) & pipeline->mask].c;
        if (commit <= pipeline->leave)
            return false;
        if (commit - pipeline->leave > i - 1 + window - count)
            return true;
    }
    return false;
}

bool pipeline_take_moment(const struct pipeline *pipeline, struct pipeline_moment *moment)
{
    const struct pipeline_settings *settings = &pipeline->settings;
    uint64_t leave = pipeline->leave;
    uint64_t commit = pipeline->commit > leave ? pipeline->commit - leave : 0;

    if (pipeline->count == 0 || pipeline->observer_count || pipeline->last_trap ||
        pipeline->fence < pipeline->backend.count || pipeline->committed < pipeline->count ||
        may_fill_window(pipeline))
        return false;
    memset(moment, 0, sizeof *moment); /* moments are compared as bytes */
    moment->has_turned = pipeline->redirect != 0;
    moment->commit = (uint16_t)commit;
    for (unsigned i = 0; i < settings->register_count; i++)
        if (!add_wait(moment, i, leave, pipeline->registers[i].ready))
            return false;
    for (unsigned i = 0; i < settings->class_count; i++)
        if (!add_wait(moment, settings->register_count + i, leave, pipeline->classes[i]))
            return false;
    return true;
}

static void set_moment(struct pipeline *pipeline, const struct pipeline_moment *moment)
{
    unsigned registers = pipeline->settings.register_count;
    uint64_t leave = pipeline->leave;

    for (unsigned i = 0; i < moment->wait_count; i++) {
        unsigned number = moment->waits[i].number;
        uint64_t ready = leave + moment->waits[i].cycles;
        if (number < registers)
            pipeline->registers[number].ready = ready;
        else
            pipeline->classes[number - registers] = ready;
    }
    pipeline->decode = leave - 1;
    pipeline->redirect = 0;
    pipeline->committed = pipeline->count;
    if (leave + moment->commit > pipeline->commit)
        pipeline->commit = leave + moment->commit;
    if (moment->has_turned)
        pipeline_turn(pipeline);
}

void pipeline_skip(struct pipeline *pipeline, const struct pipeline_span *span,
                   const struct pipeline_moment *moment)
{
    uint64_t first = pipeline->count;

    pipeline->count += span->instructions;
    pipeline->leave += span->cycles;
    for (unsigned i = 0; i < STALL_COUNT; i++)
        pipeline->stalls[i] += span->stalls[i];
    if (span->instructions > pipeline->mask)
        first = pipeline->count - pipeline->mask - 1;
    for (uint64_t i = first; i < pipeline->count; i++)
        pipeline->pending[i & pipeline->mask] = (struct pending){0};
    set_moment(pipeline, moment);
}

void pipeline_restart(struct pipeline *pipeline, const struct pipeline_moment *moment)
{
    const struct pipeline_settings *settings = &pipeline->settings;

    memset(pipeline->registers, 0, settings->register_count * sizeof *pipeline->registers);
    memset(pipeline->classes, 0, settings->class_count * sizeof *pipeline->classes);
    memset(pipeline->pending, 0, (pipeline->mask + 1) * sizeof *pipeline->pending);
    memset(pipeline->stalls, 0, sizeof pipeline->stalls);
    pipeline->count = settings->window;
    pipeline->leave = 1;
    pipeline->commit = 0;
    set_moment(pipeline, moment);
}

struct pipeline_span pipeline_since_restart(const struct pipeline *pipeline)
{
    struct pipeline_span span = {
        .instructions = pipeline->count - pipeline->settings.window,
        .cycles = pipeline->leave - 1,
    };

    memcpy(span.stalls, pipeline->stalls, sizeof span.stalls);
    return span;
}
