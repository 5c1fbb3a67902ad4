/* The places of a cache, a power of two, which doubles. They are in chunks, so that those that it
 * had stay in use. */
#ifndef ASM_INSTRUCTION_CHUNKS_H
#define ASM_INSTRUCTION_CHUNKS_H

#include "lib/arena.h"

struct chunks {
    char **at;    /* room for the most */
    size_t count; /* 0 before the first entry */
};

/* What the chunks of a cache have in common. */
struct chunk_shape {
    size_t most;   /* chunks, */
    size_t places; /* of each, a power of two, */
    size_t bytes;  /* and of each place */
};

/* Returns the number of places. */
static inline size_t chunks_places(const struct chunks *chunks, const struct chunk_shape *shape)
{
    return chunks->count * shape->places;
}

/* Returns the place for the hash, of which the lowest bits count. */
static inline void *chunks_place(const struct chunks *chunks, const struct chunk_shape *shape,
                                 size_t hash)
{
    size_t place = hash & (chunks_places(chunks, shape) - 1);

    return chunks->at[place / shape->places] + place % shape->places * shape->bytes;
}

/* Doubles the places, or makes the first ones. The new ones are 0. Returns how many there were. */
size_t chunks_double(struct chunks *chunks, struct arena *arena, const struct chunk_shape *shape);

#endif
