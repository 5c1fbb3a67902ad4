/* --timing: feeds the pipeline (lib/timing/) with the instructions that the observed executor runs
 * or that a log has, and keeps what the report says beyond the cycles. */
#ifndef EMU_TIMING_FEED_H
#define EMU_TIMING_FEED_H

#include "emu/keeper.h"
#include "emu/timing/feed_blocks.h"
#include "emu/timing/feed_turns.h"
#include "emu/timing/sites.h"
#include "isa_ids.h"
#include "lib/arena.h"
#include "lib/isa.h"
#include "lib/timing/pipeline.h"
#include "lib/timing/time.h"
#include "lib/timing/value.h"
#include "lib/timing/word.h"
#include "lib/trace/recorder.h"

/* Bytes that a unit moved. */
struct port_bytes {
    uint64_t read, written;
};

/* The part of a run from one boundary to the next. */
struct region {
    uint64_t from, to; /* pc; of the program's start and end: 0 */
    uint64_t count;
    struct pipeline_counters counters; /* sums */
};

enum { FEED_REGIONS = 256, FEED_THREADS = 65 };

struct feed {
    struct keeper keeper;
    struct recorder *recorder;
    struct pipeline *pipeline;
    struct sites sites;
    struct feed_blocks blocks;
    struct feed_turns turns;
    struct pipeline_instruction walk; /* the last one in turns whose operands were needed */
    const struct pipeline_instruction *looked; /* the last one in a block that may have to wait */
    struct site *site;                         /* of the current instruction */
    bool has_observer;                         /* of the times of each instruction */
    uint64_t added, told;     /* instructions so far; when `after` was called last */
    bool is_added;            /* the current instruction is in the pipeline already */
    uint64_t leave;           /* the cycle in which it left D */
    unsigned threads, thread; /* contexts of a barrel, or 0; the one that executes, */
    uint64_t turn;            /* in this turn */
    /* By thread: the pc that control goes to without an interrupt. */
    uint64_t expected[FEED_THREADS];
    uint64_t operands[ISA_OPERAND_LIMIT];
    struct execution_value value; /* of the current instruction */
    bool has_ranges;              /* it has all ranges */
    struct range *ranges;
    size_t range_capacity;
    struct port_bytes ports[PIPELINE_UNITS];
    uint64_t products;
    struct pipeline_counters counters; /* after feed_finish */
    bool has_bounds;                   /* --timing-from or --timing-to: regions are between these */
    bool has_from, has_to, is_in_region;
    uint64_t from, to;
    struct region regions[FEED_REGIONS];
    size_t region_count;
    uint64_t region_pc; /* where the current one began */
    struct pipeline_counters region_start;
    bool has_region; /* there was a boundary */
};

struct machine;

/* Makes the model and connects it to the machine. Returns false when there is no memory. */
bool feed_init(struct feed *feed, struct machine *machine, struct arena *arena,
               struct recorder *recorder);
/* Ends the program, so that feed->counters has the whole run. */
void feed_finish(struct feed *feed);

#endif
