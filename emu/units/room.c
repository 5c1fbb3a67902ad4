/* See room.h. */
#include "emu/units/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LIMIT ((uint64_t)1 << 30)

void room_check(const char *unit, uint64_t outer, uint64_t inner, size_t size, const char *settings)
{
    uint64_t count, bytes;

    if (!__builtin_mul_overflow(outer, inner, &count) &&
        !__builtin_mul_overflow(count, size, &bytes) && bytes <= LIMIT)
        return;
    fprintf(stderr, "temu: error: the state of unit '%s' needs %" PRIu64, unit, outer);
    if (inner != 1)
        fprintf(stderr, " x %" PRIu64, inner);
    fprintf(stderr, " records of %zu bytes; at most 1 GiB; choose a smaller number for %s\n", size,
            settings);
    exit(1);
}
