/* What the files of the pipeline share. Only they include this header. */
#ifndef LIB_TIMING_PARTS_H
#define LIB_TIMING_PARTS_H

#include "lib/timing/pipeline.h"

/* A register that an instruction in the queue reads. */
struct entry_read {
    uint16_t number;
    uint64_t cycle;    /* in which it is read; PIPELINE_NEVER: not known yet */
    uint64_t producer; /* the entry that writes it, if the cycle is not known */
};

/* An older instruction that conflicts. */
struct dependence {
    uint64_t entry;
    unsigned conflicts;
};

/* An instruction of a unit, from its entry into the queue until it commits. What others ask for is
 * at the beginning. */
struct entry {
    uint64_t number; /* of the instructions of units */
    uint64_t e;
    unsigned unit;
    /* Why it cannot go on, and the dependence that is the reason. As older instructions only
     * finish, this holds until that one does. */
    enum pipeline_state conflict;
    size_t conflict_index;
    uint64_t ended[UNIT_ORDER]; /* by cause: when the last dependence that was passed ended */
    struct dependence *dependences;
    size_t dependence_count, dependence_capacity;
    /* The entries before it that are finished when it starts, as far as known: bit k is that of
     * number - 1 - k. */
    uint64_t before;
    struct span reads_within, writes_within; /* the bounds of the footprint; first > last: none */
    uint64_t sequence;                       /* of all instructions */
    bool has_trapped;
    uint64_t cycles, occupancy;
    uint64_t q, p, s, m;
    uint64_t readable; /* the first cycle in which it may leave the queue */
    struct footprint footprint;
    enum pipeline_state wait; /* the first cause of waiting */
    uint64_t blocker;
    struct pipeline_site *site;
    unsigned read_count, write_count;
    struct entry_read reads[PIPELINE_OPERANDS];
    uint16_t writes[PIPELINE_OPERANDS];
};

enum { ENTRIES = 2 * PIPELINE_WINDOW }; /* the most */

/* A unit, and what its cycles were spent on. */
struct unit {
    uint64_t resources, free[PIPELINE_ENGINES]; /* the cycle from which on an engine is free */
    uint64_t busy;                              /* until this cycle */
    uint64_t queued;                            /* instructions in the queue */
    enum pipeline_state state;                  /* since `accounted` */
    uint64_t cycles[UNIT_STATES];
};

/* The instructions of units: entries [head of P or S …] are found by their numbers. */
struct backend {
    uint64_t queue, storage; /* sizes */
    bool oldest;
    bool has_observer;                           /* which is told all conflicts */
    struct entry *entries;                       /* ring; at least twice the window */
    uint64_t mask;                               /* of the ring */
    uint64_t count;                              /* entries that were added */
    uint64_t left;                               /* the first one that has not left the queue */
    uint64_t unfinished;                         /* all before this one are finished */
    struct entry *stage;                         /* in P, or NULL */
    bool is_stuck;                               /* the storage queue is full */
    struct entry *stored[PIPELINE_WINDOW];       /* in the storage queue, by age */
    unsigned char stored_units[PIPELINE_WINDOW]; /* their units */
    unsigned stored_count;
    uint64_t running[ENTRIES]; /* E of entries that have started, and may be unfinished */
    unsigned running_count;
    struct unit units[PIPELINE_UNITS];
    unsigned unit_count;
    uint64_t now;       /* the last cycle that was computed */
    uint64_t next;      /* the next one in which something may change */
    uint64_t accounted; /* the counters contain all cycles before this one */
    uint64_t queue_cycles, queue_most, storage_cycles, storage_most;
};

/* Where a register gets its value from. */
struct source {
    uint64_t ready;    /* the cycle from which on it is usable; PIPELINE_NEVER: see producer */
    uint64_t producer; /* an entry */
    uint64_t read;     /* the last cycle in which an instruction in the queue reads it, plus 1 */
};

/* An instruction that may not have committed. */
struct pending {
    uint64_t e, c;       /* PIPELINE_NEVER: not known yet */
    struct entry *entry; /* NULL: of the scalar core */
};

/* A context of a barrel. */
struct timed_thread {
    uint64_t redirect; /* its next instruction is not executed before this cycle */
    uint64_t last;     /* the cycle of the last one */
    uint64_t settled;  /* from this cycle on, it does not have to wait for scalar instructions */
    const struct entry *trap;  /* the last one traps in this entry's P; or NULL */
    struct timed_commit *ring; /* of the window */
    uint64_t count;            /* instructions since the start */
    uint64_t place;            /* of the next one in the ring */
    uint64_t commit;           /* C of the instruction before the window */
    uint64_t shown;            /* C of the last one that the observers know */
    uint64_t waits[STALL_ALL]; /* its bubbles since the last instruction */
    struct pipeline_thread_counts counts;
};

struct pipeline {
    struct pipeline_settings settings;
    struct timed_thread *threads; /* of a barrel */
    uint64_t turns;               /* of a barrel, in which an instruction was executed */
    struct backend backend;
    struct walks walks;
    struct source *registers;
    uint64_t *classes;       /* the cycle from which on a class takes the next instruction */
    struct pending *pending; /* ring */
    struct pipeline_record *records; /* the same, for the observer */
    uint64_t mask;                   /* of the ring */
    uint64_t count, committed;       /* instructions */
    uint64_t commit;                 /* C of the last one that committed */
    uint64_t decode;                 /* D of the last instruction */
    uint64_t leave;                  /* the cycle in which it left D */
    uint64_t redirect;               /* the next one is not fetched before this cycle */
    struct entry *last_trap;         /* the last instruction trapped in this entry's P; or NULL */
    uint64_t fence; /* all entries before this one are known to be finished at `leave` */
    uint64_t stalls[STALL_ALL];
    pipeline_observer *observers[PIPELINE_OBSERVERS];
    void *observer_contexts[PIPELINE_OBSERVERS];
    unsigned observer_count;
    uint64_t *blockers; /* of the record that is shown */
    size_t blocker_capacity;
    struct footprint footprint; /* of a scalar instruction */
    struct parade *parade;      /* of a barrel: records that the observers do not know yet */
};

static inline struct entry *backend_entry(const struct backend *backend, uint64_t number)
{
    return &backend->entries[number & backend->mask];
}

/* Makes the contexts of a barrel. Returns false when there is no memory. */
bool threads_init(struct pipeline *pipeline);
/* The program is over: shows the observers all that is left. */
void threads_finish(struct pipeline *pipeline);
void threads_free(struct pipeline *pipeline);

/* Lists the instructions whose conflicts made the entry wait in the record: those that were
 * unfinished when it could have gone on first. */
void backend_list_blockers(struct pipeline *pipeline, struct pipeline_record *record,
                           const struct entry *entry);
/* Fills in the times of an instruction of a unit. */
void backend_fill_record(struct pipeline_record *record, const struct entry *entry);
/* Computes all cycles up to `limit`. */
void backend_run(struct pipeline *pipeline, uint64_t limit);
/* Computes as many cycles as it takes for the unit to take the entry, so that entry->e is known. */
void backend_finish(struct pipeline *pipeline, const struct entry *entry);
/* Adds the cycles before `end` to the counters. */
void backend_account(struct backend *backend, uint64_t end);
/* Makes an entry in the queue, entered in this cycle. */
struct entry *backend_add(struct pipeline *pipeline, const struct pipeline_instruction *instruction,
                          uint64_t cycle);

#endif
