/* See ttrace_block.h. */
#include "lib/trace/ttrace_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

bool block_damaged(struct ttrace *trace, const unsigned char *at, const char *why)
{
    struct position whole = {.name = trace->file.name};

    diag_error(trace->diag, &whole, "the trace is damaged at byte %llu: %s; record it again",
               (unsigned long long)(at - (const unsigned char *)trace->file.bytes), why);
    return false;
}

bool block_unpack(struct ttrace *trace, const unsigned char *frame, size_t length,
                  unsigned char *block, size_t size, enum ttrace_block kind, struct bytes *contents)
{
    size_t got = ZSTD_decompress(block, size, frame, length);
    uint64_t inside;

    if (ZSTD_isError(got))
        return block_damaged(trace, frame, ZSTD_getErrorName(got));
    *contents = (struct bytes){block + 1, block + got};
    if (got < 2 || block[0] != kind || !get(contents, &inside) || inside != left_in(contents))
        return block_damaged(trace, frame, "a block has another kind or length than expected");
    return true;
}

void *block_resize(void *array, size_t count, size_t size)
{
    array = reallocarray(array, count ? count : 1, size);
    if (!array) {
        fputs("error: out of memory while a trace was read\n", stderr);
        exit(1);
    }
    return array;
}
