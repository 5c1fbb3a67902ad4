/* A list of strings in an arena, for example the arguments of an option that may be repeated. A
 * zero-initialized list is empty and valid. The strings are not copied. */
#ifndef LIB_STRINGS_H
#define LIB_STRINGS_H

#include "lib/arena.h"

struct strings {
    const char **items;
    size_t count, capacity;
};

void strings_add(struct strings *strings, struct arena *arena, const char *string);
/* Returns the index of the first string that equals `string`, or the count if there is none. */
size_t strings_find(const struct strings *strings, const char *string);

#endif
