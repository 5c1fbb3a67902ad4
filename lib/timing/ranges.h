/* Ranges of memory that an instruction reads and writes, and conflicts of two instructions. */
#ifndef LIB_TIMING_RANGES_H
#define LIB_TIMING_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
    uint64_t address, length;
    bool is_write;
};

/* Blocks of a granule, from the first to the last one. */
struct span {
    uint64_t first, last;
};

/* Spans in order that neither overlap nor touch. */
struct spans {
    struct span *items;
    size_t count, capacity;
};

struct footprint {
    struct spans reads, writes;
};

enum conflict { CONFLICT_RAW = 1, CONFLICT_WAW = 2, CONFLICT_WAR = 4 };

/* Makes the footprint of the ranges; empty ones have none. Returns false when there is no memory.
 */
bool footprint_set(struct footprint *footprint, const struct range *ranges, size_t count,
                   uint64_t granule);
void footprint_free(struct footprint *footprint);
/* Returns the conflicts of a younger instruction with an older one, as bits of enum conflict. */
unsigned footprint_conflicts(const struct footprint *younger, const struct footprint *older);

#endif
