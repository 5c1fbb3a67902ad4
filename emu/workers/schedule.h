/* The turns of a barrel as a file gives them (--schedule), for example as RTL had them. A line has
 * the name of a thread and a number of turns: `w0 3`. Text after # is a comment. */
#ifndef EMU_WORKERS_SCHEDULE_H
#define EMU_WORKERS_SCHEDULE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <stdint.h>

struct schedule_part {
    unsigned thread; /* 0 the supervisor, n + 1 worker n */
    uint64_t turns;
    struct position at;
};

struct schedule {
    struct schedule_part *parts;
    size_t count, next; /* the part that the next turn belongs to */
    uint64_t taken;     /* turns of it */
    bool has_failed;    /* the thread of the next turn cannot go */
};

/* Reads a schedule for so many workers. Returns false after a diagnostic. */
bool schedule_read(struct schedule *schedule, struct arena *arena, struct diag *diag,
                   const char *name, unsigned workers);
/* Returns the thread of the next turn in *thread. Returns false after the last one. */
bool schedule_thread(const struct schedule *schedule, unsigned *thread);
/* The turn is taken. */
void schedule_take(struct schedule *schedule);

#endif
