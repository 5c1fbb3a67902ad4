/* Objects of native code on disk, for later runs.
 *
 * A file is complete or absent, and is only used when its key and the digest of its bytes are
 * right. All of them together keep to a limit: those that were used least lately go. Nobody is told
 * when something cannot be kept; the next run compiles again. */
#ifndef EMU_NATIVE_CACHE_H
#define EMU_NATIVE_CACHE_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is worth waiting for a little, or for longer. */
enum effort { EFFORT_QUICK, EFFORT_FULL };

/* Digest of a text and of all else that an object depends on, and how it was compiled. */
struct object_key {
    uint64_t words[2];
    uint64_t effort;
};

/* Is it the name of no cache? */
bool object_cache_is_none(const char *cache);
/* Why objects cannot be kept in the directory, which is made when it is missing; NULL: they can. */
const char *object_cache_refuse(const char *directory);
/* Where objects are kept: one directory of the user alone, by default in the user's cache; or NULL.
 */
const char *object_cache_find(struct arena *arena, const char *wanted);
/* The object's bytes, to be freed; NULL when there is none, or none that is good. */
char *object_cache_read(const char *directory, const struct object_key *key, size_t *length);
/* Keeps what is in the file `object`. */
void object_cache_keep(const char *directory, const struct object_key *key, int object);

#endif
