#include "lib/map.h"

#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    const unsigned char *byte = bytes;
    uint64_t hash = seed ? seed : 0xcbf29ce484222325;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash;
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hashes all bytes, eight at a time. The last eight may overlap those before. */
uint64_t hash_text(const char *text, size_t length)
{
    uint64_t multiplier = UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    uint64_t hash = length, piece = 0;

    if (length >= 8) {
        for (size_t i = 0; i + 8 < length; i += 8) {
            memcpy(&piece, text + i, 8);
            hash = mix(hash ^ piece, multiplier);
        }
        memcpy(&piece, text + length - 8, 8);
    } else if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + length - 4, 4);
        piece = (uint64_t)first << 32 | last;
    } else {
        for (size_t i = 0; i < length; i++)
            piece = piece << 8 | (unsigned char)text[i];
    }
    return mix(hash ^ piece, multiplier);
}

void map_init(struct map *map, struct arena *arena)
{
    *map = (struct map){.arena = arena};
}

/* Returns the slot that holds the key, or the free slot where it belongs. The table is never
 * full. */
static size_t find_slot(const struct map *map, const char *key, size_t length, uint64_t hash)
{
    size_t mask = map->slot_count - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t index = map->slots[i];
        if (!index)
            return i;
        const struct map_entry *entry = &map->entries[index - 1];
        if (entry->hash == hash && entry->key_length == length &&
            memcmp(entry->key, key, length) == 0)
            return i;
    }
}

void *map_get_bytes(const struct map *map, const char *key, size_t length)
{
    if (!map->slot_count)
        return NULL;
    size_t slot = find_slot(map, key, length, hash_text(key, length));
    return map->slots[slot] ? map->entries[map->slots[slot] - 1].value : NULL;
}

void *map_get(const struct map *map, const char *key)
{
    return map_get_bytes(map, key, strlen(key));
}

static void grow_slots(struct map *map)
{
    map->slot_count = map->slot_count ? map->slot_count * 2 : 64;
    map->slots = arena_array(map->arena, map->slot_count, sizeof *map->slots);
    size_t mask = map->slot_count - 1;

    for (size_t i = 0; i < map->count; i++) {
        size_t slot = map->entries[i].hash & mask;
        while (map->slots[slot])
            slot = (slot + 1) & mask;
        map->slots[slot] = (uint32_t)i + 1;
    }
}

struct map_entry *map_entry(struct map *map, const char *key, size_t length)
{
    if ((map->count + 1) * 2 > map->slot_count)
        grow_slots(map);
    uint64_t hash = hash_text(key, length);
    size_t slot = find_slot(map, key, length, hash);
    if (map->slots[slot])
        return &map->entries[map->slots[slot] - 1];
    map->entries =
        arena_grow(map->arena, map->entries, map->count, &map->capacity, sizeof *map->entries);
    map->entries[map->count] = (struct map_entry){
        .key = arena_copy(map->arena, key, length), .key_length = length, .hash = hash};
    map->slots[slot] = (uint32_t)++map->count;
    return &map->entries[map->count - 1];
}

void map_set(struct map *map, const char *key, void *value)
{
    map_entry(map, key, strlen(key))->value = value;
}
