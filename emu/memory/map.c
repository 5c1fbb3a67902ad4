/* Mapped pages, their permissions, and the host's memory for them. */
#include "emu/memory/parts.h"
#include <sys/mman.h>

/* Returns the number of bytes in pages that count. */
static uint64_t counted_bytes(const struct memory *memory, uint64_t first, uint64_t end)
{
    uint64_t counted = 0;

    if (first < end && memory_is_used(memory, first, end))
        for (uint64_t page = first; page < end; page++)
            counted += (memory->pages[page] & PAGE_COUNTED) != 0;
    return counted << MEMORY_PAGE_BITS;
}

/* Returns the number of bytes that are not counted yet, but are if all pages get permissions. */
static uint64_t fresh_bytes(const struct memory *memory, uint64_t first, uint64_t end,
                            unsigned permissions)
{
    if (!permissions)
        return 0;
    return ((end - first) << MEMORY_PAGE_BITS) - counted_bytes(memory, first, end);
}

/* May the pages get these permissions? */
static bool may_have(const struct memory *memory, uint64_t first, uint64_t end,
                     unsigned permissions)
{
    return fresh_bytes(memory, first, end, permissions) <= memory->limit - memory->mapped &&
           !(permissions & PAGE_EXECUTE && end > MEMORY_CODE_PAGES);
}

bool memory_fits(const struct memory *memory, uint64_t address, uint64_t length,
                 unsigned permissions)
{
    uint64_t first, end;

    if (length == 0 || !memory_in_limit(memory, address, length))
        return false;
    memory_page_span(address, length, &first, &end);
    return may_have(memory, first, end, permissions);
}

bool memory_map(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!memory_fits(memory, address, length, permissions))
        return false;
    memory_page_span(address, length, &first, &end);
    memory->mapped += fresh_bytes(memory, first, end, permissions);
    permissions |= PAGE_MAPPED | (permissions ? PAGE_COUNTED : 0);
    if (memory_next_mapped(memory, first, end) == end)
        memory_set_pages(memory, first, end, permissions);
    else
        for (uint64_t page = first; page < end; page++)
            memory_set_page(memory, page, memory->pages[page] | permissions);
    memory_mirror(memory, first, end);
    return true;
}

/* Gives the pages back to the host. Those that are mapped there next are not expected. */
static void give_back(struct memory *memory, uint64_t address, uint64_t length)
{
    memory_drop_bytes(memory, address, length);
#ifdef MADV_NOHUGEPAGE
    if (length >= MEMORY_MANY)
        madvise(memory->host + address, length, MADV_NOHUGEPAGE);
#endif
}

void memory_unmap(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first, end;

    memory_page_span(address, length, &first, &end);
    memory_announce_pages(memory, first, end);
    memory->mapped -= counted_bytes(memory, first, end);
    memory_set_pages(memory, first, end, 0);
    if (end > first)
        give_back(memory, first << MEMORY_PAGE_BITS, (end - first) << MEMORY_PAGE_BITS);
    memory_mirror(memory, first, end);
}

void memory_clear(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first, end;

    memory_page_span(address, length, &first, &end);
    if (first == end)
        return;
    memory_announce_pages(memory, first, end);
    memory_drop_bytes(memory, address, length);
    memory_mirror(memory, first, end);
}

bool memory_protect(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!memory_is(memory, address, length, PAGE_MAPPED))
        return false;
    memory_page_span(address, length, &first, &end);
    if (!may_have(memory, first, end, permissions))
        return false;
    memory->mapped += fresh_bytes(memory, first, end, permissions);
    memory_announce_pages(memory, first, end);
    for (uint64_t page = first, next; page < end; page = next) {
        unsigned counted = permissions ? PAGE_COUNTED : memory->pages[page] & PAGE_COUNTED;
        next = permissions ? end : memory_find_alike(memory, page, end, PAGE_COUNTED);
        memory_set_pages(memory, page, next, PAGE_MAPPED | counted | permissions);
    }
    memory_settle(memory, first, end);
    memory_mirror(memory, first, end);
    return true;
}

/* ---- how the host gives its memory ---- */

void memory_expect(const struct memory *memory, uint64_t address, uint64_t length)
{
#ifdef MADV_HUGEPAGE
    uint64_t first = (address + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);

    if (length >= MEMORY_MANY)
        madvise(memory->host + first, address + length - first, MADV_HUGEPAGE);
#else
    (void)memory, (void)address, (void)length;
#endif
}

void memory_populate(const struct memory *memory, uint64_t address, uint64_t length)
{
    arena_populate(memory->host + address, length);
}

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* since Linux 6.1; the C library may be older */
#endif

void memory_collapse(const struct memory *memory, uint64_t start, uint64_t old, uint64_t end)
{
    enum { LARGE_PAGE = 1 << 21 };
    uintptr_t host = (uintptr_t)memory->host;
    uint64_t from = end - start < MEMORY_MANY ? end : old - start < MEMORY_MANY ? start : old;
    /* The large pages that the end has passed. */
    uintptr_t first = (host + from) & ~(uintptr_t)(LARGE_PAGE - 1),
              last = (host + end) & ~(uintptr_t)(LARGE_PAGE - 1);

    if (first < host + start)
        first += LARGE_PAGE;
    if (first < last)
        madvise((void *)first, last - first, MADV_COLLAPSE);
}
