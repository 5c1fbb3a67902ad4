/* Memory of one run of a tool: allocated piece by piece, freed all at once.
 *
 * Nothing is freed alone, so structures may point at each other without an owner. Memory is zeroed.
 * When the host has no memory left the tool says so and exits 1; callers never see NULL. */
#ifndef LIB_ARENA_H
#define LIB_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* 1 under the address sanitizer: then what is free stays unusable where it can. */
#ifdef __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif

struct arena {
    struct arena_block *blocks; /* newest first */
    char *next, *end;           /* free part of the newest block */
    size_t block_size;          /* of the newest one, but for one that a large request made */
};

#define ARENA_INIT                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }

/* `size` zeroed bytes, aligned for any type. */
void *arena_alloc(struct arena *arena, size_t size);
/* Array of `count` elements; a product that overflows counts as no memory left. */
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_copy(struct arena *arena, const char *bytes, size_t length); /* NUL added; unaligned */
char *arena_string(struct arena *arena, const char *string);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);
/* Takes back everything, for what is needed from now on. Under the address sanitizer the memory
 * that was given out becomes unusable, so that a use of it is found. */
void arena_reset(struct arena *arena);

/* A growing array in an arena: `struct thing *items; size_t count, capacity;` → returns `items`,
 * with room for one more. Use as: things = arena_grow(arena, things, count, &capacity, sizeof
 * *things); things[count++] = …; */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

#define arena_new(arena, type) ((type *)arena_alloc((arena), sizeof(type)))

#endif
