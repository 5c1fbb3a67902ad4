/* See strings.h. */
#include "lib/strings.h"

#include <string.h>

void strings_add(struct strings *strings, struct arena *arena, const char *string)
{
    strings->items = arena_grow(arena, strings->items, strings->count, &strings->capacity,
                                sizeof *strings->items);
    strings->items[strings->count++] = string;
}

size_t strings_find(const struct strings *strings, const char *string)
{
    size_t i = 0;

    while (i < strings->count && strcmp(strings->items[i], string) != 0)
        i++;
    return i;
}
