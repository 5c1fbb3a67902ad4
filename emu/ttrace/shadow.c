/* See shadow.h. */
#include "emu/ttrace/shadow.h"
#include "lib/output.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BITS = 12,
    PAGE = 1 << PAGE_BITS,
    LONGEST = 1 << 24, /* bytes of a range whose writers are known, from its start */
};

/* A page of memory: what is in it, and the number of the record plus 1 that wrote each byte last.
 */
struct memory_page {
    uint32_t writers[PAGE];
    unsigned char bytes[PAGE];
    bool is_unknown; /* the trace does not have all that was written there */
};

static struct memory_page *shadow_page(struct shadow *shadow, uint64_t page, bool create)
{
    size_t at = page * UINT64_C(0x9e3779b97f4a7c15) >> 20;

    if (shadow->capacity == 0 || (create && 2 * shadow->count >= shadow->capacity)) {
        struct shadow grown = {.count = shadow->count,
                               .capacity = shadow->capacity ? 2 * shadow->capacity : 1024};
        grown.keys = calloc(grown.capacity, sizeof *grown.keys);
        grown.pages = calloc(grown.capacity, sizeof *grown.pages);
        if (!grown.keys || !grown.pages)
            output_end("ttrace: error: out of memory\n");
        for (size_t i = 0; i < shadow->capacity; i++) {
            size_t to = (shadow->keys[i] - 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
            if (shadow->keys[i] == 0)
                continue;
            while (grown.keys[to % grown.capacity])
                to++;
            grown.keys[to % grown.capacity] = shadow->keys[i];
            grown.pages[to % grown.capacity] = shadow->pages[i];
        }
        free(shadow->keys);
        free(shadow->pages);
        *shadow = grown;
    }
    for (; shadow->keys[at % shadow->capacity]; at++)
        if (shadow->keys[at % shadow->capacity] == page + 1)
            return shadow->pages[at % shadow->capacity];
    if (!create)
        return NULL;
    at %= shadow->capacity;
    shadow->keys[at] = page + 1;
    shadow->pages[at] = calloc(1, sizeof **shadow->pages);
    if (!shadow->pages[at])
        output_end("ttrace: error: out of memory\n");
    shadow->count++;
    return shadow->pages[at];
}

/* Calls `each` for the part of each page that the range has, from its start; `at` counts bytes of
 * the range. */
static void shadow_each(struct shadow *shadow, uint64_t address, uint64_t length, bool create,
                        void (*each)(void *context, struct memory_page *page, uint64_t from,
                                     uint64_t count, uint64_t at),
                        void *context)
{
    length = length < LONGEST ? length : LONGEST;
    for (uint64_t at = 0, count; at < length; at += count) {
        uint64_t from = (address + at) % PAGE;
        count = PAGE - from < length - at ? PAGE - from : length - at;
        each(context, shadow_page(shadow, (address + at) >> PAGE_BITS, create), from, count, at);
    }
}

static void find_last(void *context, struct memory_page *page, uint64_t from, uint64_t count,
                      uint64_t at)
{
    uint32_t *last = context;

    (void)at;
    for (uint64_t i = from; page && i < from + count; i++)
        *last = page->writers[i] > *last ? page->writers[i] : *last;
}

uint32_t shadow_last_writer(struct shadow *shadow, uint64_t address, uint64_t length)
{
    uint32_t last = 0;

    shadow_each(shadow, address, length, false, find_last, &last);
    return last;
}

/* What is written, and by whom. */
struct written {
    uint32_t writer;
    const unsigned char *bytes; /* NULL: unknown */
};

/* What is read. */
struct read {
    struct text *bytes;
    bool is_unknown;
};

static void put_page(void *context, struct memory_page *page, uint64_t from, uint64_t count,
                     uint64_t at)
{
    const struct written *written = context;

    for (uint64_t i = from; i < from + count; i++)
        page->writers[i] = written->writer;
    if (written->bytes)
        memcpy(page->bytes + from, written->bytes + at, count);
    else
        page->is_unknown = true;
}

static void get_page(void *context, struct memory_page *page, uint64_t from, uint64_t count,
                     uint64_t at)
{
    static const unsigned char zeros[PAGE];
    struct read *read = context;

    (void)at;
    read->is_unknown |= page && page->is_unknown;
    text_append_bytes(read->bytes, page ? page->bytes + from : zeros, count);
}

void shadow_write(struct shadow *shadow, uint64_t address, uint64_t length, uint32_t writer,
                  const unsigned char *bytes)
{
    struct written written = {writer, bytes};

    shadow_each(shadow, address, length, true, put_page, &written);
}

bool shadow_read(struct shadow *shadow, uint64_t address, uint64_t length, struct text *bytes)
{
    struct read read = {bytes, false};

    shadow_each(shadow, address, length, false, get_page, &read);
    return !read.is_unknown;
}

void shadow_free(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->capacity; i++)
        free(shadow->pages[i]);
    free(shadow->keys);
    free(shadow->pages);
}
