/* String to pointer hash map. Iteration is in order of insertion, so that no output depends on
 * hashes. Keys are copied into the arena. Nothing is removed; a value may be replaced, also by
 * NULL. */
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
/* Value of `key`, or NULL. */
void *map_get(const struct map *map, const char *key);
void *map_get_bytes(const struct map *map, const char *key, size_t length);
/* The entry of `key`, made with a NULL value if it is not there. The pointer is valid until the
 * next map_entry/map_set. */
struct map_entry *map_entry(struct map *map, const char *key, size_t length);
void map_set(struct map *map, const char *key, void *value);

/* FNV-1a, 64 bits; `seed` 0 to start, or an earlier result to go on. */
uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

#endif
