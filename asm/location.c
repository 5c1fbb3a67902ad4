/* Positions are made in the order of the source, so the origin of the last one is mostly that of
 * the next one, too. */
#include "asm/location.h"
#include "asm/tasm.h"

static bool equal_origins(const struct origin *a, const struct origin *b)
{
    return a->file == b->file && a->name == b->name && a->from == b->from &&
           a->from_what == b->from_what && a->line_shift == b->line_shift;
}

/* Returns the number of the origin, from 1. */
static uint32_t number_of(struct assembler *as, const struct origin *origin)
{
    struct locations *locations = &as->locations;

    if (!locations->count || !equal_origins(&locations->origins[locations->count - 1], origin)) {
        locations->origins = arena_grow(as->arena, locations->origins, locations->count,
                                        &locations->capacity, sizeof *locations->origins);
        locations->origins[locations->count++] = *origin;
    }
    return (uint32_t)locations->count;
}

struct location location_of(struct assembler *as, const struct position *at)
{
    if (!at)
        return (struct location){0};
    unsigned line = at->file_line ? at->file_line : at->line;
    struct origin origin = {.file = at->file,
                            .name = at->name,
                            .from = at->from,
                            .from_what = at->from_what,
                            .line_shift = (long)at->line - (long)line};
    return (struct location){
        .origin = number_of(as, &origin), .line = line, .column = at->column, .length = at->length};
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
