/* The paths of the turns of threads, which rounds.c finds, keeps and enters, and whose code paths.c
 * makes. Only these two include this header. */
#ifndef EMU_NATIVE_PATHS_H
#define EMU_NATIVE_PATHS_H

#include "emu/keeper.h"
#include "emu/native/parts.h"
#include "emu/native/rounds.h"

enum {
    TURNS = 1 << 11,         /* the most of a path */
    PATHS = 1 << 12,         /* of all: */
    WAYS_OUT = 1 << 17,      /* ways out, */
    LENDINGS = 1 << 16,      /* lendings, */
    PLACES_OF_ALL = 1 << 20, /* and places in `pcs` */
    HEADS = 1 << 12,         /* of the table of paths, a power of two */
    NO_PATH = 0,
};

/* The turns of a path. */
struct path {
    uint64_t slots; /* those of struct rounds, */
    uint8_t supervisor;
    uint8_t first;  /* index of the thread of the first turn */
    uint8_t count;  /* of threads */
    uint32_t pcs;   /* index in paths.pcs of the pc of each turn; after them come those of the
                      turns that follow, one of each thread */
    uint32_t code;  /* offset */
    uint32_t chain; /* the next path with this hash, or NO_PATH */
    uint16_t turns;
};

/* A place where native code is left. */
struct way_out {
    struct copier_jump jump; /* leads there, and may lead to another path instead */
    uint32_t path;
    uint32_t pc; /* where the thread of the turn before goes on, if it strays from the path; or the
                    second instruction of the next turn, if that is open */
    uint16_t turn; /* the next one of the path */
    uint8_t taken; /* how often, up to HOT_WAY */
    bool strays;
    bool is_open; /* the turn has had its first instruction */
    bool is_linkable;
    bool is_dead; /* what follows is no path */
};

/* An instruction that is executed by rounds->lend. */
struct lending {
    struct decoded record;
    uint32_t way_out;   /* before it; the next one is after it */
    uint32_t remaining; /* instructions of the path, this one included */
    size_t after;       /* the code after it */
};

struct paths {
    uint64_t generation;         /* of native code */
    const struct rounds *rounds; /* during a visit: */
    bool is_over;                /* the run has to end */
    /* The code that enters and leaves, and that which calls native_lend and then enters: they move
     * no registers. */
    size_t enter, leave, call;
    uint32_t heads[HEADS];
    struct path paths[PATHS]; /* from 1 on */
    uint32_t path_count;
    struct way_out ways_out[WAYS_OUT];
    uint32_t way_count;
    struct lending lendings[LENDINGS];
    uint32_t lending_count;
    uint32_t pcs[PLACES_OF_ALL];
    uint32_t pc_count;
    /* Where turns are uneven, by index in pcs: */
    uint8_t stalls[PLACES_OF_ALL]; /* why the turn passes; STALL_ALL: it has the instruction, */
    bool shared[PLACES_OF_ALL];    /* and the next one */
    uint32_t times[PLACES_OF_ALL]; /* the state of the thread in its turn */
    /* There, and for the model of time: how often the path was entered, or for each turn but its
     * first one, how often it was left before that turn; and how often it was left between the
     * instructions of the turn. */
    uint64_t counts[PLACES_OF_ALL], opened[PLACES_OF_ALL];
    /* The counts of the instructions of the turn in the model of time. */
    struct pipeline_site *sites[PLACES_OF_ALL][2];
};

/* Makes the code that enters and leaves paths, after native code was forgotten. */
void paths_begin_code(struct native *native, struct paths *paths);
/* Is there room for the code of two paths? */
bool paths_have_room(const struct native *native, const struct paths *paths);
/* Can the instruction be in a path? */
bool paths_may_have(const struct native *native, const struct rounds *rounds,
                    const struct decoded *record);
/* Are executions of the path's turns counted? */
static inline bool paths_are_counted(const struct rounds *rounds)
{
    return rounds->keeper || rounds->is_uneven;
}
/* Makes the code of the path with this number, which the follower comes after: a path that has its
 * code, or this one, or NO_PATH. */
void paths_make_code(struct native *native, struct paths *paths, const struct rounds *rounds,
                     uint32_t number, uint32_t follower);

#endif
