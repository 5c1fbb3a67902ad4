/* Questions about ranges of pages. */
#include "emu/memory/parts.h"

enum { MANY = sizeof(uint64_t) }; /* pages that are looked at together */

static const uint64_t EACH_BYTE = UINT64_MAX / UINT8_MAX; /* 1 in each */

/* Returns these permission bits of MANY pages. */
static uint64_t bits_of_many(const struct memory *memory, uint64_t page, unsigned permissions)
{
    uint64_t bytes;

    memcpy(&bytes, memory->pages + page, sizeof bytes);
    return bytes & EACH_BYTE * permissions;
}

bool memory_in_limit(const struct memory *memory, uint64_t address, uint64_t length)
{
    return address <= memory->end && length <= memory->end - address;
}

bool memory_is(const struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!memory_in_limit(memory, address, length))
        return false;
    memory_page_span(address, length, &first, &end);
    permissions |= PAGE_MAPPED;
    for (uint64_t page = first, count; page < end; page += count) {
        bool many = end - page >= MANY &&
                    bits_of_many(memory, page, permissions) == EACH_BYTE * permissions;
        count = many ? MANY : 1;
        if (!many && (memory->pages[page] & permissions) != permissions)
            return false;
    }
    return true;
}

uint64_t memory_next_mapped(const struct memory *memory, uint64_t first, uint64_t end)
{
    uint64_t page = first, last = end < memory->top ? end : memory->top;

    while (page < last) {
        if (!memory->mapped_once[page / MEMORY_STRETCH])
            page = (page / MEMORY_STRETCH + 1) * MEMORY_STRETCH;
        else if (memory->pages[page])
            return page;
        else
            page += last - page < MANY || bits_of_many(memory, page, PAGE_MAPPED) ? 1 : MANY;
    }
    return end;
}

uint64_t memory_find_alike(const struct memory *memory, uint64_t first, uint64_t end, unsigned bits)
{
    unsigned wanted = memory->pages[first] & bits;
    uint64_t page = first + 1;

    while (page < end)
        if (end - page >= MANY && bits_of_many(memory, page, bits) == EACH_BYTE * wanted)
            page += MANY;
        else if ((memory->pages[page] & bits) != wanted)
            return page;
        else
            page++;
    return end;
}

/* Returns how many pages before this one, and not before `first`, are like the last of them: all
 * mapped or all free. */
static uint64_t count_alike(const struct memory *memory, uint64_t first, uint64_t page)
{
    uint64_t count = (page - 1) % MEMORY_STRETCH + 1;

    if (count > page - first)
        count = page - first;
    if (!memory->mapped_once[(page - 1) / MEMORY_STRETCH])
        return count;
    if (count < MANY)
        return 1;
    uint64_t bytes = bits_of_many(memory, page - MANY, PAGE_MAPPED);

    return bytes == 0 || bytes == EACH_BYTE * PAGE_MAPPED ? MANY : 1;
}

uint64_t memory_find_free(const struct memory *memory, uint64_t low, uint64_t high, uint64_t length)
{
    uint64_t first = (low + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS, end = high >> MEMORY_PAGE_BITS,
             page = end; /* those from here to the end are free */

    if (length == 0 || low > high || length > high - low)
        return 0;
    uint64_t wanted = (length + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS;
    while (page > first) {
        bool is_free = !memory->pages[page - 1];
        uint64_t count = count_alike(memory, first, page);
        page -= count;
        if (!is_free)
            end = page;
        else if (end - page >= wanted)
            return (end - wanted) << MEMORY_PAGE_BITS;
    }
    return 0;
}

bool memory_allows(const struct memory *memory, uint64_t address, uint64_t length,
                   unsigned permissions)
{
    uint64_t first, end;

    memory_page_span(address, length, &first, &end);
    for (unsigned i = 0; i < memory->share_count; i++)
        if (memory_is_common_in(&memory->shares[i], first, end) &&
            permissions & ~memory->shares[i].allowed)
            return false;
    return true;
}
