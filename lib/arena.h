/* Memory for one run of a tool: allocated piece by piece, freed all at once.
 *
 * Nothing is freed separately, so structures may point at each other and nothing needs an owner.
 * Memory is zeroed. When the host has no memory left, the tool says so and exits with status 1;
 * callers never see NULL. */
#ifndef LIB_ARENA_H
#define LIB_ARENA_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 under the address sanitizer: then free memory is made inaccessible where that is possible. */
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
    char *next, *end, *limit;   /* free part of the newest block, up to `limit`; populated: `end` */
    size_t block_size; /* size of the newest block, unless that was made for one large request */
};

#define ARENA_INIT                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }

/* Makes room for the size in a new block. */
void *arena_alloc_block(struct arena *arena, size_t size);
/* Returns `size` zeroed bytes with an alignment that is a power of two and at most that of
 * max_align_t. */
static inline void *arena_aligned(struct arena *arena, size_t size, size_t alignment)
{
    size_t padding = -(uintptr_t)arena->next & (alignment - 1),
           room = (size_t)(arena->end - arena->next);

    if (room <= padding || room - padding < size)
        return arena_alloc_block(arena, size);
    void *memory = arena->next + padding;
    arena->next += padding + size;
    return memory;
}
/* Returns `size` zeroed bytes, aligned for any type. */
static inline void *arena_alloc(struct arena *arena, size_t size)
{
    return arena_aligned(arena, size, alignof(max_align_t));
}
/* Returns an array of `count` elements. A product that overflows counts as no memory left. */
void *arena_array(struct arena *arena, size_t count, size_t size);
char *arena_copy(struct arena *arena, const char *bytes, size_t length); /* NUL added; unaligned */
char *arena_string(struct arena *arena, const char *string);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Has the host provide memory, of an arena or not, that will be written soon, at once instead of
 * page by page. */
void arena_populate(void *memory, size_t size);
/* Announces that about this much will be allocated: a megabyte or more comes in huge pages from the
 * start, and less comes in none. */
void arena_expect(struct arena *arena, size_t size);
void arena_free(struct arena *arena);
/* Frees everything, for reuse. Under the address sanitizer the memory that was given out becomes
 * inaccessible, so that a later use of it is found. */
void arena_reset(struct arena *arena);

/* Shortens the last allocation to `used` of its `size` bytes. The others must still be zero. An
 * allocation that is not the last one, or has a block of its own, keeps its size. */
void arena_shorten(struct arena *arena, void *memory, size_t size, size_t used);
/* Grows an array in an arena: with `struct thing *items; size_t count, capacity;` it returns
 * `items` with room for at least one more element. Use: things = arena_grow(arena, things, count,
 * &capacity, sizeof *things); things[count++] = …; */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

#define arena_new(arena, type) ((type *)arena_aligned((arena), sizeof(type), alignof(type)))

#endif
