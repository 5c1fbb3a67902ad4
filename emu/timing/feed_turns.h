/* --timing: blocks of scalar instructions in turns of a barrel in which no thread waits (keeper.h).
 * Their executions are counted; that they take a turn each is all that the pipeline needs to know.
 */
#ifndef EMU_TIMING_FEED_TURNS_H
#define EMU_TIMING_FEED_TURNS_H

#include "emu/keeper.h"
#include "emu/timing/sites.h"

enum { FEED_TURNS_TABLE = 4096 };

struct feed_turns {
    struct arena *arena;
    struct sites *sites;
    struct pipeline *pipeline;
    const uint64_t *bounds; /* two instructions that are looked at one by one (feed_blocks.h) */
    struct counted_turns *table[FEED_TURNS_TABLE];
};

/* Returns the block whose entry this is. */
struct turn_block *feed_turns_find(struct feed_turns *turns, const struct decoded *entry);
/* Returns the site of one of the known instructions of the block. */
struct site *feed_turns_site(const struct turn_block *block, unsigned index);
/* See struct keeper. */
struct pipeline_site *feed_turns_quick_site(struct feed_turns *turns, const struct decoded *record);
/* Adds all counted executions to the counts of the sites, at the end of the run. */
void feed_turns_finish(struct feed_turns *turns);

#endif
