/* A region: the basic blocks that become one unit.
 *
 * The search starts at a hot pc and adds the blocks that control can reach from there, nearest
 * first, up to a number of instructions. It adds either all blocks or only those that were
 * executed, i.e. decoded. The targets of an indirect jump are those that it had before. */
#ifndef EMU_NATIVE_REGION_H
#define EMU_NATIVE_REGION_H

#include "emu/decode.h"
#include "lib/arena.h"

enum { REGION_GUESSES = 3 };

/* A basic block. Control enters it at its first instruction only, and leaves it after the last one
 * or before one that the unit cannot execute. */
struct region_block {
    uint64_t pc, end;        /* [pc, end) */
    struct decoded *records; /* its instructions */
    size_t count;
    uint64_t target;                  /* of the last instruction, if it is known */
    bool has_target;                  /* the target is known (it may be 0) */
    bool is_indirect;                 /* the target of the last instruction is in a register */
    uint64_t guesses[REGION_GUESSES]; /* if so: all targets in the region that it had, */
    size_t guess_count;               /* ascending; none if there are more */
    bool is_entry;                    /* control comes here from outside, or by an indirect jump */
    bool is_head;                     /* loop header: target of a backward jump, or a guess */
    size_t longest; /* instructions on the longest path from here to a loop header, an indirect
                       jump, or out of the region */
};

struct region {
    struct arena *arena;
    struct region_block *blocks; /* ascending by pc, without overlap */
    size_t count, capacity;
    size_t instructions;
};

/* Finds the region around `pc`, of at most about `limit` instructions. Returns false when there is
 * nothing to translate. */
bool region_find(struct region *region, struct arena *arena, const struct code *code, uint64_t pc,
                 size_t limit, bool everywhere);
/* Compares structures whose first member is a pc, for qsort and bsearch. */
int compare_pcs(const void *left, const void *right);
/* Returns the block that begins at `pc`, or NULL. */
struct region_block *region_block_at(const struct region *region, uint64_t pc);

#endif
