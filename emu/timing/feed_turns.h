/* --timing: blocks of scalar instructions in turns of a barrel (keeper.h). Where no thread waits,
 * their executions are counted; that each instruction takes a turn is all that the pipeline needs
 * to know. Where threads may wait, the states in which the pipeline has them get numbers. */
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
    /* States of threads, by hash and by number. */
    struct thread_time *times[FEED_TURNS_TABLE], **numbered;
    uint32_t time_count;
};

/* Returns the block whose entry this is. */
struct turn_block *feed_turns_find(struct feed_turns *turns, const struct decoded *entry);
/* Returns the site of one of the known instructions of the block. */
struct site *feed_turns_site(const struct turn_block *block, unsigned index);
/* See struct keeper. */
struct pipeline_site *feed_turns_quick_site(struct feed_turns *turns, const struct decoded *record);
struct pipeline_site *feed_turns_timed_site(struct feed_turns *turns, const struct decoded *record);
/* Returns the number of the state. */
uint32_t feed_turns_find_time(struct feed_turns *turns,
                              const struct pipeline_thread_moment *moment);
const struct pipeline_thread_moment *feed_turns_time(const struct feed_turns *turns,
                                                     uint32_t number);
/* Adds all counted executions to the counts of the sites, at the end of the run. */
void feed_turns_finish(struct feed_turns *turns);

#endif
