/* --timing: blocks of scalar instructions that are timed as a whole (keeper.h). While control goes
 * through such blocks, the pipeline stays behind; feed_blocks_end brings it up to date. A profile
 * has the cycles of these blocks by chains of calls already (tally.h), and is told here those of
 * each instruction. */
#ifndef EMU_TIMING_FEED_BLOCKS_H
#define EMU_TIMING_FEED_BLOCKS_H

#include "emu/keeper.h"
#include "emu/timing/sites.h"

enum {
    NOWHERE = 1, /* an address where no instruction is */
};

struct feed_blocks {
    struct machine *machine;
    struct block_times *times; /* of the keeper */
    struct arena *arena;
    struct sites *sites;
    struct pipeline *pipeline;
    uint64_t *expected; /* the pc that control goes to without a turn; NOWHERE: any is a turn */
    uint64_t *leave;    /* the cycle in which the last instruction left D */
    uint64_t bounds[2]; /* instructions that are looked at one by one, or NOWHERE */
    struct map all;     /* by address and instructions */
};

/* The caller has filled in what precedes the map. Returns false when there is no memory. */
bool feed_blocks_init(struct feed_blocks *blocks, const struct pipeline_settings *settings);
/* Do its word, its effects and the address after it say all that the pipeline needs to know of an
 * instruction? */
bool feed_blocks_is_plain(const struct feed_blocks *blocks, const struct site *site);
/* Can the instruction be in a block that is timed as a whole? */
bool feed_blocks_may_skip(const struct feed_blocks *blocks, const struct site *site);
/* Returns the block of these instructions, or NULL when it cannot be timed as a whole. */
struct timed_block *feed_blocks_find(struct feed_blocks *blocks, const struct decoded *records,
                                     unsigned count);
/* Returns the passage through the block; NULL: its instructions must be executed one by one. */
struct passage *feed_blocks_enter(struct feed_blocks *blocks, struct timed_block *block);
/* Control left the last block at `pc`, before its end, after `executed` instructions; or because
 * the next one raised an exception. Adds these one by one. */
void feed_blocks_interrupt(struct feed_blocks *blocks, unsigned executed, bool has_trapped,
                           uint64_t pc);
/* Adds the blocks that were counted to the pipeline. */
void feed_blocks_end(struct feed_blocks *blocks);
/* Adds all counted executions to the counts of the sites, at the end of the run. */
void feed_blocks_finish(struct feed_blocks *blocks);

#endif
