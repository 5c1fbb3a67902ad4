/* A region: the instructions that become one unit.
 *
 * It is found from a place that is hot: the blocks that control can reach from there, nearest
 * first, as far as it has been there (a block was decoded) or everywhere, up to a number of
 * instructions. Where an indirect jump leads is known from where it
 * led before. */
#ifndef EMU_NATIVE_REGION_H
#define EMU_NATIVE_REGION_H

#include "emu/decode.h"
#include "lib/arena.h"

enum { REGION_GUESSES = 3 };

/* Instructions that are entered at the first only, and left behind the last, or before one that
 * cannot be done. */
struct region_block {
    uint64_t pc, end;        /* [pc, end) */
    struct decoded *records; /* its instructions */
    size_t count;
    uint64_t target;                  /* of the last instruction, where it is known */
    bool has_target;                  /* it is, and may be any address: 0 too */
    bool is_indirect;                 /* the last instruction leads to where its registers say */
    uint64_t guesses[REGION_GUESSES]; /* if so: all places in the region that it led to, */
    size_t guess_count;               /* ascending; none, if they are more */
    bool is_entry;                    /* control comes here from outside, or by an indirect jump */
    bool is_head;                     /* a jump backwards or a guess leads here */
    size_t longest; /* instructions on the longest way from here to a head or an indirect jump,
                       or out of the region */
};

struct region {
    struct arena *arena;
    struct region_block *blocks; /* ascending by pc, without overlap */
    size_t count, capacity;
    size_t instructions;
};

/* The region around `pc`, of about `limit` instructions at most. False when there is nothing to
 * translate. */
bool region_find(struct region *region, struct arena *arena, const struct code *code, uint64_t pc,
                 size_t limit, bool everywhere);
/* For qsort and bsearch of what has a pc as its first member. */
int compare_pcs(const void *left, const void *right);
/* The block that begins at `pc`, or NULL. */
struct region_block *region_block_at(const struct region *region, uint64_t pc);

#endif
