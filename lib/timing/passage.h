/* The times of blocks of instructions, each computed once for each state of the pipeline that a
 * block was entered in (moment.h): a passage. A program that goes through the same blocks again
 * only counts passages. */
#ifndef LIB_TIMING_PASSAGE_H
#define LIB_TIMING_PASSAGE_H

#include "lib/arena.h"
#include "lib/timing/moment.h"

enum { PASSAGE_TABLE = 4096 };

/* A state of the pipeline, which exists once. */
struct known_moment {
    struct pipeline_moment moment;
    struct known_moment *turned; /* the same after a turn; NULL: not needed yet */
    struct known_moment *next;   /* in the table */
};

/* Instructions that are executed one after another, and can be skipped (pipeline_can_skip). */
struct timed_block {
    uint64_t pc, end; /* control goes on at `end`; another address is a turn */
    unsigned count;
    const struct pipeline_instruction **instructions;
    struct passage *passages; /* the last one that was looked up first */
};

struct passage {
    struct known_moment *from;
    uint64_t end;               /* that of the block */
    struct known_moment *to[2]; /* after the block, without and with a turn */
    uint64_t count;             /* since they were added to the pipeline */
    uint64_t total;             /* before */
    bool is_listed;             /* it may have a count */
    struct timed_block *block;
    struct passage *next_of_block, *next_listed, *next;
    uint32_t cycles, stalls[STALL_COUNT];
};

struct passages {
    struct arena *arena;
    struct pipeline *scratch; /* where blocks are computed */
    /* Called by passages_tell: an instruction of a block left D so many cycles after the one before
     * it, in all executions that were counted. Or NULL. */
    void (*told)(void *context, const struct pipeline_instruction *instruction, uint64_t cycles);
    void *context;
    struct known_moment *table[PASSAGE_TABLE];
    struct passage *all, *listed;
    size_t count;
};

/* Returns false when there is no memory. */
bool passages_init(struct passages *passages, const struct pipeline_settings *settings,
                   struct arena *arena);
struct known_moment *passages_moment(struct passages *passages,
                                     const struct pipeline_moment *moment);
/* Returns the same state after a turn. */
struct known_moment *passages_turn(struct passages *passages, struct known_moment *moment);
/* Returns the passage through the block from this state, which is computed if it is new. NULL:
 * there are too many, or its end is a state that has no room. */
struct passage *passages_find(struct passages *passages, struct timed_block *block,
                              struct known_moment *from);
/* Counts the passage. */
static inline void passage_count(struct passages *passages, struct passage *passage)
{
    passage->count++;
    if (__builtin_expect(!passage->is_listed, 0)) {
        passage->is_listed = true;
        passage->next_listed = passages->listed;
        passages->listed = passage;
    }
}
/* Adds what was counted to the pipeline, which is in the state `to` then. */
void passages_add(struct passages *passages, struct pipeline *pipeline, struct known_moment *to);
/* Adds all counted executions to the sites of the instructions. */
void passages_tell(struct passages *passages);

#endif
