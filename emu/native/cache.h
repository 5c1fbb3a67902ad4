/* The cache on disk that keeps objects of native code for later runs.
 *
 * A file is either complete or absent. It is only used when its key and the digest of its bytes are
 * right. The total size is limited; the least recently used files are deleted. Failures to store an
 * object are not reported, because the next run just compiles it again. */
#ifndef EMU_NATIVE_CACHE_H
#define EMU_NATIVE_CACHE_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much the compiler optimizes. */
enum effort { EFFORT_QUICK, EFFORT_FULL };

/* A digest of the C text and of everything else that the object depends on, and how it was
 * compiled. */
struct object_key {
    uint64_t words[2];
    uint64_t effort;
};

/* Does the argument of --tier-cache mean no cache? */
bool object_cache_is_none(const char *cache);
/* Returns why objects cannot be kept in the directory, or NULL if they can. Creates the directory
 * if it is missing. `root` is the descriptor of a directory that the program may change, or -1: a
 * cache in it is refused, since the program could put code of the host there. */
const char *object_cache_refuse(const char *directory, int root);
/* Returns the directory that keeps objects, as a path without links: `wanted`, or by default one in
 * the user's cache directory. Only the user may write to it. NULL: no cache. */
const char *object_cache_find(struct arena *arena, const char *wanted, int root);
/* Returns the object's bytes, which the caller frees, or NULL when there is no valid object. */
char *object_cache_read(const char *directory, const struct object_key *key, size_t *length);
/* Stores the object that is in the file descriptor `object`. */
void object_cache_keep(const char *directory, const struct object_key *key, int object);

#endif
