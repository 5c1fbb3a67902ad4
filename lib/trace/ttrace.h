/* The lossless trace (docs/ttrace-format.md): its records, and the numbers of its format.
 *
 * A file is a sequence of frames of Zstandard, which any tool for .zst files decompresses. The
 * contents of a frame are a block: a byte that says its kind, the length of the rest in LEB128, and
 * the rest. The first block is the header. Then each segment of the trace has two blocks, the
 * records and the index. All that the decoder learns from records (sites, predictions, blocks of
 * bytes) is forgotten at the end of a segment, so segments are decoded in any order. */
#ifndef LIB_TRACE_TTRACE_H
#define LIB_TRACE_TTRACE_H

#include "lib/trace/recorder.h"
#include <stdbool.h>
#include <stdint.h>

enum { TTRACE_VERSION = 3 };

/* Kinds of blocks. Readers skip others. */
enum ttrace_block {
    TTRACE_HEADER = 'H',
    TTRACE_RECORDS = 'R',
    TTRACE_INDEX = 'I',
    TTRACE_TIMES = 'T',
    TTRACE_END = 'E',
};

/* Flags of a site. */
enum ttrace_flag {
    TTRACE_BARE = 1,
    TTRACE_TRAP = 2,
    TTRACE_INTERRUPT = 4,
    TTRACE_LONG = 8,   /* the effects are in the column of long records */
    TTRACE_START = 16, /* not an instruction: the state before the first one */
};

/* Columns of the records, in their order. */
enum ttrace_column {
    TTRACE_SITES,   /* what is the same each time that an instruction is executed */
    TTRACE_ORDER,   /* which site comes next, where it is not the one that came next before */
    TTRACE_TAGS,    /* how each value is predicted */
    TTRACE_VALUES,  /* the differences of values from their prediction */
    TTRACE_EFFECTS, /* effects of long records */
    TTRACE_BYTES,   /* what tensor units wrote, each content once */
    TTRACE_BREAKS,  /* where the sequence number or the thread is not the expected one */
    TTRACE_COLUMNS
};

/* The cycles of an instruction in the pipeline (docs/timing.md), in their order in a block. */
enum ttrace_stage {
    TTRACE_F,
    TTRACE_D,
    TTRACE_Q,
    TTRACE_P,
    TTRACE_S,
    TTRACE_X,
    TTRACE_M,
    TTRACE_E,
    TTRACE_C,
    TTRACE_PIPE, /* from which cycle on the unit takes the next one */
    TTRACE_STAGES
};

/* Columns of a block of times: after that of the records, one for each stage. */
enum ttrace_time_column {
    TTRACE_TIME_RECORDS,
    TTRACE_TIME_STAGES,
    TTRACE_TIME_STALLS = TTRACE_TIME_STAGES + TTRACE_STAGES,
    TTRACE_TIME_WAITS,
    TTRACE_TIME_UNITS,
    TTRACE_TIME_BLOCKERS,
    TTRACE_TIME_CONFLICTS,
    TTRACE_TIME_ROWS,
    TTRACE_TIME_LOCATED,
    TTRACE_TIME_PASSES,
    TTRACE_TIME_COLUMNS
};

enum { TTRACE_CONFLICTS = 2048 /* the most of a record */ };

/* Names that a block of times has: of causes of stalls, of states of units, and of units. */
enum ttrace_time_name { TTRACE_STALL_NAMES, TTRACE_WAIT_NAMES, TTRACE_UNIT_NAMES, TTRACE_NAMES };

enum { TTRACE_NAMES_LIMIT = 32 };

struct ttrace_time_names {
    unsigned counts[TTRACE_NAMES];
    const char *names[TTRACE_NAMES][TTRACE_NAMES_LIMIT];
};

#define TTRACE_NEVER UINT64_MAX /* a cycle that does not come */

/* A turn of a barrel in which the thread, from 0, could not execute an instruction. */
struct ttrace_pass {
    uint64_t turn;
    uint32_t thread;
    uint8_t stall; /* why; counts the names, from 1 */
};

/* The times of a record. `stall`, `wait` and `unit` count the names, from 1; 0: none. */
struct ttrace_time {
    uint64_t record; /* its number in the trace */
    uint64_t cycles[TTRACE_STAGES];
    uint8_t stall, wait, unit;
    uint64_t blocker; /* how many instructions before it the one was that it waited for; 0: none */
    /* The same of all instructions whose conflicts made it wait, oldest first. */
    const uint64_t *conflicts;
    unsigned conflict_count;
    uint8_t row;      /* of the traversal unit, whose walk it used, from 1; 0: none */
    uint64_t located; /* addresses of this walk that are usable after it */
    /* Turns that passed since the times of the record before, in their order. Those after the last
     * record are in a time without cycles, whose `record` is the number of records. */
    const struct ttrace_pass *passes;
    size_t pass_count;
};

/* Tags of values; 1 to 8 is the number of bytes of the difference. */
enum ttrace_tag {
    TAG_STRIDE = 0,    /* the difference is the same as before */
    TAG_SAME = 9,      /* the value is the same as before */
    TAG_SIGNED = 10,   /* the value that was loaded, sign-extended */
    TAG_UNSIGNED = 11, /* zero-extended */
    TAG_BOXED = 12,    /* with ones above it */
};

/* Limits. An instruction with more effects, or with an effect of another kind than a register of
 * one word, a CSR, the mode, a load or a store, is a long record. */
enum {
    TTRACE_SHORT = 6,
    TTRACE_SLOTS = 2 * TTRACE_SHORT + 1,
    TTRACE_SEGMENT = 1 << 17,       /* most records in a segment */
    TTRACE_SEGMENT_BYTES = 1 << 23, /* a segment with more bytes ends */
    TTRACE_GRANULE_BITS = 8,        /* the index counts memory in these units */
    TTRACE_GRANULES = 1 << 13,      /* a segment that touches more has no list of them */
};

struct ttrace_record {
    uint64_t sequence, pc, word;
    uint8_t length, privilege;
    uint8_t flags;   /* enum ttrace_flag without TTRACE_LONG */
    uint32_t thread; /* 0: unknown */
    uint64_t turn;   /* of a barrel */
    uint64_t trap_cause, trap_value;
    const struct recorder *recorder; /* its effects in order; NULL: none */
};

enum { TTRACE_WORKERS = 64 /* the most of a barrel */ };

/* Which thread and turn the next record is expected to have: the same thread, or in a barrel the
 * next turn, and the thread that had its slot last. */
struct ttrace_turns {
    unsigned workers; /* of the barrel; 0: there is none */
    uint32_t thread;  /* of the last record */
    uint64_t turn;    /* of it */
    uint32_t slots[TTRACE_WORKERS];
};

/* A segment begins. */
static inline void ttrace_turns_begin(struct ttrace_turns *turns)
{
    *turns = (struct ttrace_turns){.workers = turns->workers, .turn = UINT64_MAX};
}

/* Goes on to what the next record is expected to have. */
static inline void ttrace_turns_go_on(struct ttrace_turns *turns)
{
    if (turns->workers)
        turns->thread = turns->slots[++turns->turn % turns->workers];
}

/* The record has these instead. */
static inline void ttrace_turns_set(struct ttrace_turns *turns, uint32_t thread, uint64_t turn)
{
    turns->thread = thread;
    turns->turn = turn;
    if (turns->workers)
        turns->slots[turn % turns->workers] = thread;
}

/* The parts of a short record's effect that do not change. They are side by side in memory, so that
 * this is one load. One that is_wide is not of a short record. */
static inline uint64_t ttrace_shape(const struct effect *effect)
{
    return bytes_get(effect, sizeof(uint64_t));
}

static inline unsigned ttrace_shape_kind(uint64_t shape)
{
    return shape & 0xff;
}

static inline unsigned ttrace_shape_size(uint64_t shape)
{
    return shape >> 8 & 0xff;
}

static inline unsigned ttrace_shape_file(uint64_t shape)
{
    return shape >> 16 & 0xff;
}

static inline unsigned ttrace_shape_number(uint64_t shape)
{
    return (unsigned)(shape >> 32);
}

/* Has the effect an address besides its value? */
static inline bool ttrace_has_address(unsigned kind)
{
    return kind == EFFECT_LOAD || kind == EFFECT_STORE;
}

static inline uint64_t ttrace_zigzag(uint64_t value)
{
    return value << 1 ^ (uint64_t)((int64_t)value >> 63);
}

static inline uint64_t ttrace_unzigzag(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

/* Returns the value of a tag TAG_SIGNED to TAG_BOXED, from a load of `size` bytes (1 to 8). */
static inline uint64_t ttrace_extend(unsigned tag, uint64_t loaded, unsigned size)
{
    unsigned unused = 64 - 8 * size;

    loaded = loaded << unused >> unused;
    if (tag == TAG_SIGNED)
        return (uint64_t)((int64_t)(loaded << unused) >> unused);
    return tag == TAG_BOXED && unused ? loaded | ~UINT64_C(0) << (64 - unused) : loaded;
}

#endif
