/* How the parts of the reader of lossless traces (ttrace_read.h) take numbers and strings out of
 * blocks. Internal to lib/trace/. */
#ifndef LIB_TRACE_TTRACE_BLOCK_H
#define LIB_TRACE_TTRACE_BLOCK_H

#include "lib/leb128.h"
#include "lib/trace/ttrace_read.h"

/* Bytes that are still to be read. */
struct bytes {
    const unsigned char *at, *end;
};

/* Reports damage at `at`, which is in the file. Returns false. */
bool block_damaged(struct ttrace *trace, const unsigned char *at, const char *why);
/* Decompresses a frame into `block`, which has its size. Sets `contents` to what follows the kind
 * and the length. Returns false after a diagnostic. */
bool block_unpack(struct ttrace *trace, const unsigned char *frame, size_t length,
                  unsigned char *block, size_t size, enum ttrace_block kind,
                  struct bytes *contents);
/* Returns the array with room for `count` items. Out of memory ends the tool. */
void *block_resize(void *array, size_t count, size_t size);

/* ---- times (ttrace_clock.c) ---- */

/* The columns of a block of times. */
struct ttrace_columns {
    struct bytes items[TTRACE_TIME_COLUMNS];
};

/* Decompresses a frame of times. Returns the block, which the caller frees, or NULL after a
 * diagnostic. */
unsigned char *clock_load(struct ttrace *trace, struct ttrace_timed *timed,
                          struct ttrace_columns *columns);

/* ---- numbers and strings ---- */

static inline size_t left_in(const struct bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

static inline bool get(struct bytes *bytes, uint64_t *value)
{
    return leb128_get_unsigned(&bytes->at, bytes->end, value);
}

static inline bool get_byte(struct bytes *bytes, uint8_t *value)
{
    if (bytes->at == bytes->end)
        return false;
    *value = *bytes->at++;
    return true;
}

/* Takes `length` bytes. */
static inline const unsigned char *take(struct bytes *bytes, uint64_t length)
{
    const unsigned char *taken = bytes->at;

    if (length > left_in(bytes))
        return NULL;
    bytes->at += length;
    return taken;
}

/* Takes a length and as many bytes. */
static inline const unsigned char *take_string(struct bytes *bytes, uint64_t *length)
{
    return get(bytes, length) ? take(bytes, *length) : NULL;
}

#endif
