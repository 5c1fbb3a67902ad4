/* A hash map from strings to pointers. Iteration is in order of insertion, so that no output
 * depends on hash values. Keys are copied into the arena. Entries are never removed; a value may be
 * replaced, also by NULL. */
#ifndef LIB_MAP_H
#define LIB_MAP_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct map_entry {
    const char *key;
    size_t key_length;
    uint64_t hash;
    void *value;
};

struct map {
    struct arena *arena;
    struct map_entry *entries; /* in order of insertion */
    size_t count, capacity;
    uint32_t *slots; /* index + 1 into entries; 0 is free */
    size_t slot_count;
};

void map_init(struct map *map, struct arena *arena);
/* Returns the value of `key`, or NULL. */
void *map_get(const struct map *map, const char *key);
void *map_get_bytes(const struct map *map, const char *key, size_t length);
/* Returns the entry of `key`, creating it with a NULL value if it does not exist. The pointer is
 * valid until the next map_entry or map_set. */
struct map_entry *map_entry(struct map *map, const char *key, size_t length);
void map_set(struct map *map, const char *key, void *value);

/* FNV-1a, 64 bits. `seed` is 0 at the start, or an earlier result to continue. */
uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);
/* A faster one for tables in memory. It differs between hosts. */
uint64_t hash_text(const char *text, size_t length);

#endif
