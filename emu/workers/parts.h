/* What the files of this folder share. */
#ifndef EMU_WORKERS_PARTS_H
#define EMU_WORKERS_PARTS_H

#include "emu/workers/workers.h"

static inline struct worker *worker_of(struct workers *workers, unsigned thread)
{
    return &workers->workers[thread - 1];
}

static inline bool worker_is_active(const struct worker *worker)
{
    return worker->state == WORKER_RUNS || worker->state == WORKER_AT_BARRIER;
}

/* Does the thread of a Linux program wait, or is it over? */
static inline bool owner_is_waiting(const struct workers_owner *owner)
{
    return owner->thread && *owner->state != THREAD_RUNS;
}

static inline bool worker_is_runnable(const struct worker *worker)
{
    return worker->state == WORKER_RUNS && !owner_is_waiting(&worker->owner);
}

static inline bool workers_any_active(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (worker_is_active(&workers->workers[i]))
            return true;
    return false;
}

/* Does the supervisor have a slot? */
static inline bool workers_any_slot(const struct workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (!worker_is_active(&workers->workers[i]))
            return true;
    return false;
}

/* Returns the privilege mode of a thread that does not have the hart. */
unsigned workers_privilege(const struct machine *machine, unsigned thread);
/* The worker runs from now on: its first turn is the next one of its slot. */
void workers_run(struct machine *machine, unsigned thread, const struct workers_owner *owner);
/* If all workers that run are at the barrier, their waits end. */
void workers_release(struct machine *machine);
/* Adds a value of state to the effects of the instruction. */
void workers_record(struct machine *machine, const char *unit, const char *name, uint64_t value);

#endif
