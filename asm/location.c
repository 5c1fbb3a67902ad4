/* Positions are made in the order of the source, so the origin of the last one is mostly that of
 * the next one, too. */
#include "asm/location.h"
#include "asm/tasm.h"

/* Returns the number of the position's origin, from 1. */
static uint32_t origin_number(struct assembler *as, const struct position *at, long line_shift)
{
    struct locations *locations = &as->locations;
    const struct origin *last = locations->count ? &locations->origins[locations->count - 1] : NULL;

    if (last && last->file == at->file && last->name == at->name && last->from == at->from &&
        last->from_what == at->from_what && last->line_shift == line_shift)
        return (uint32_t)locations->count;
    locations->origins = arena_grow(as->arena, locations->origins, locations->count,
                                    &locations->capacity, sizeof *locations->origins);
    locations->origins[locations->count++] = (struct origin){.file = at->file,
                                                             .name = at->name,
                                                             .from = at->from,
                                                             .from_what = at->from_what,
                                                             .line_shift = line_shift};
    return (uint32_t)locations->count;
}

struct location location_of(struct assembler *as, const struct position *at)
{
    if (!at)
        return (struct location){0};
    unsigned line = at->file_line ? at->file_line : at->line;
    return (struct location){.origin = origin_number(as, at, (long)at->line - (long)line),
                             .line = line,
                             .column = at->column,
                             .length = at->length};
}

struct position location_position(const struct assembler *as, struct location place)
{
    const struct origin *origin = &as->locations.origins[place.origin - 1];

    return (struct position){.file = origin->file,
                             .name = origin->name,
                             .line = (unsigned)((long)place.line + origin->line_shift),
                             .column = place.column,
                             .length = place.length,
                             .file_line = place.line,
                             .from = origin->from,
                             .from_what = origin->from_what};
}
