/* The executor of turns: executes the threads of a barrel, one instruction in each turn, as
 * workers_take_turn gives them, but without a change of contexts. Each thread has a hart of its own
 * (context.h), and the bodies have the turn form (body/turn.h), which needs no more than a hart. At
 * its end, a body keeps where its thread goes on, and executes the next instruction of the thread
 * that has the next turn.
 *
 * Where the threads come back to where they stood before, as in loops that all of them execute, the
 * turns become native code (native/rounds.h).
 *
 * What a direct form leaves to the whole form is lent the machine's hart (lend.h). Where that does
 * not suffice, the run ends, and the instruction is executed with all of the thread in the
 * machine's hart, as are the turns of a barrel that several things observe. For one of them, the
 * executors of timed_turns.h, profiled_turns.h and recording_turns.h take the turns in the same
 * way.
 *
 * Between two turns something may stand that finds out who has the next one: a hart whose next
 * record is no instruction. So it is where a thread has several slots, and where threads may have
 * to wait or two instructions may share a turn (uneven_turns.h). */
#ifndef EMU_EXECUTE_TURNS_H
#define EMU_EXECUTE_TURNS_H

#include "emu/execute/lend.h"
#include "emu/machine.h"
#include "emu/native/rounds.h"
#include "emu/observed.h"
#include "emu/workers/workers.h"

/* A turn in the order of slots, of a thread that can go. */
struct turn {
    struct hart *hart;
    struct turn *next;
    unsigned distance; /* from the first one */
    unsigned thread;   /* 0 the supervisor, n + 1 worker n */
    /* Where turns are uneven: */
    uint64_t executed; /* instructions */
    uint64_t settled;  /* from this turn on, quick ones do not wait (struct keeper) */
    uint64_t quick;    /* instructions that the model does not know of yet, */
    uint64_t shared;   /* those of them that were the second one in their turn, */
    uint64_t last;     /* and the turn of the last one */
};

/* The thread comes to the block: sets hart->pairs, and hart->counted if there is a model of time.
 * Returns false if the first instruction has to be observed. */
typedef bool begin_turn_block(struct hart *hart, struct decoded *entry);

/* The turn that comes next where turns are uneven, and the instruction that has it. */
struct uneven_turn {
    begin_turn_block *begin_block;
    bool is_paired; /* two instructions may share a turn */
    struct turn *turn;
    uint64_t number; /* of the turn */
    uint64_t last;   /* with an instruction; or NO_TURN */
    struct turn_block *block;
    unsigned index; /* of the instruction in the block */
    bool is_begun;  /* it is executed, */
    bool is_quick;  /* and the model need not know of it at once, */
    bool is_second; /* and it is the second one in the turn */
    bool is_open;   /* one was executed in the turn, and the next one may share it: */
    struct workers_instruction first; /* that one */
    bool is_unknown;                  /* whether they are a bundle is not known before */
    uint64_t rest;                    /* turns that may still begin */
    bool is_noting; /* rounds.stalls and rounds.shared get what happens in each turn: */
    unsigned noted; /* in so many */
    int64_t left;
    unsigned calm; /* turns until it is seen whether threads may still have to wait */
};

struct turns {
    struct turn *next; /* the turn that follows */
    struct hart *hart; /* that has the turn */
    struct machine *machine;
    struct hart between; /* follows all threads, if one has several slots or turns are uneven */
    struct decoded gap;
    struct hart end; /* follows the last thread, if so many turns are executed */
    struct decoded last;
    struct rounds rounds;                  /* what was executed since turns_begin */
    uint64_t until;                        /* `executed` when nothing is left of this round */
    const struct turns_observer *observer; /* or NULL */
    uint64_t patience;                     /* turns before native code is tried again */
    bool has_slots;                        /* a thread has several */
    bool is_uneven;                        /* a turn may have no instruction, or two */
    struct uneven_turn uneven;             /* if so */
    bool is_refused;                       /* one needs the machine's hart */
    struct lend_plan *plans;               /* by id */
    unsigned count;
    struct turn ring[];
};

/* Executes turns of the threads of the barrel, up to `limit` instructions, for as long as none
 * needs the machine's hart. Returns whether the limit ended it; else one of them does, or the
 * executor cannot run here. */
bool turns_run(struct machine *machine, uint64_t limit);
extern const struct executor turns_executor, paired_turns_executor;
/* Do other threads execute turns between those of this one? */
static inline bool turns_are_running(const struct machine *machine)
{
    const struct executor *executor = machine->code.executor;

    return executor == &turns_executor || executor == &paired_turns_executor;
}

/* ---- for an executor of turns ---- */

extern body_function *const turns_bodies[]; /* by id */
/* The body of a terminator: the instruction of the turn is the first one of the next block. */
body_function turns_next_block;

/* Can the threads take turns with harts of their own? Shortens *limit to when the environment has
 * work. */
bool turns_are_possible(struct machine *machine, uint64_t *limit);
/* Gives each thread its hart, and makes the ring of the next turns. Returns NULL if no thread can
 * go. */
struct turns *turns_begin(struct machine *machine, const struct executor *executor);
/* Gives the machine's hart to the thread that has the turn after so many instructions. The threads
 * have left their blocks. */
void turns_end(struct turns *turns, uint64_t executed);
/* What observes turns. Each function may be NULL. */
struct turns_observer {
    bool is_for_one;    /* also where no worker is active, in the user environment */
    bool counts_native; /* native code counts for it, where no thread has to wait */
    /* Called before the first turn. */
    void (*begin)(struct turns *turns);
    /* The thread has left the block that it was in, before the instruction hart->next; or it stands
     * between blocks, at hart->pc. */
    void (*leave)(struct hart *hart);
    /* The machine has executed the instruction, with these effects; the record may be stale. The
     * units still have the state of its thread. */
    void (*lent)(const struct turns *turns, struct decoded *record, struct observed *observed);
    /* Turns are uneven, and the model does not know of all instructions that were executed: tells
     * it. Not NULL if `begin` says that turns are uneven. */
    void (*settle)(struct turns *turns);
    /* Turns are uneven: the thread begins the instruction, or has executed it in this turn. Both
     * are NULL, or none is, and then the bodies are those of the records. */
    void (*before)(const struct hart *hart, const struct decoded *record);
    void (*after)(const struct hart *hart, uint64_t turn);
    /* So many instructions were executed. */
    void (*end)(struct turns *turns, uint64_t executed);
};
/* Returns the turns between which this hart stands. */
static inline struct turns *turns_between(struct hart *between)
{
    return (struct turns *)((char *)between - offsetof(struct turns, between));
}
/* As turns_run, with another executor of the same bodies. */
bool turns_go(struct machine *machine, uint64_t limit, const struct executor *executor,
              const struct turns_observer *observer);
/* Returns the slot of the turn. */
unsigned turns_slot_of(const struct turns *turns, const struct turn *turn);

#endif
