/* Which instructions of decoded code may share a turn (struct workers). */
#ifndef EMU_EXECUTE_BUNDLES_H
#define EMU_EXECUTE_BUNDLES_H

#include "emu/machine.h"
#include "emu/workers/workers.h"

/* Returns bits for the block whose entry this is: the instruction that has so many `remaining`,
 * less one, may begin a bundle. The highest bit is set in any case. */
uint64_t bundles_find(const struct code *code, const struct decoded *entry);

/* May the instruction begin a bundle? `bits` are those of its block. */
static inline bool bundles_may_begin(uint64_t bits, const struct decoded *record)
{
    return bits >> (record->remaining - 1) & 1;
}

/* Is the next instruction the second one of a bundle, if this one may begin one? Else both have to
 * be looked at: after the last instruction of a block, and the one that has the highest bit. */
static inline bool bundles_are_known(const struct decoded *record)
{
    return record->remaining > 1 && record->remaining < BLOCK_LIMIT;
}

/* May the instructions, one after the other, be a bundle? */
bool bundles_are_possible(const struct machine *machine, const struct decoded *first,
                          const struct decoded *second);

#endif
