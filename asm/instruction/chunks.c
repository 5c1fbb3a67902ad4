/* See chunks.h. */
#include "asm/instruction/chunks.h"

size_t chunks_double(struct chunks *chunks, struct arena *arena, const struct chunk_shape *shape)
{
    size_t older = chunks->count;

    if (!older)
        chunks->at = arena_array(arena, shape->most, sizeof *chunks->at);
    chunks->count = older ? 2 * older : 1;
    for (size_t i = older; i < chunks->count; i++)
        chunks->at[i] = arena_array(arena, shape->places, shape->bytes);
    return older * shape->places;
}
