/* What the comparison knows about each part of memory: the type of its elements, who wrote it last,
 * and which difference it comes from. Addresses are those of the first trace. */
#include "emu/tdiff/lossless.h"

#include <stdlib.h>

enum { PAGE = GRANULE * GRANULES, FIRST_PAGES = 64 };

static size_t slot_of(const struct shadow *shadow, uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (shadow->capacity - 1);
}

static void grow(struct shadow *shadow)
{
    struct shadow old = *shadow;

    shadow->capacity = old.capacity ? 2 * old.capacity : FIRST_PAGES;
    shadow->pages = new_array(shadow->capacity, sizeof *shadow->pages);
    for (size_t i = 0; i < old.capacity; i++) {
        if (!old.pages[i])
            continue;
        size_t slot = slot_of(shadow, old.pages[i]->number);
        while (shadow->pages[slot])
            slot = (slot + 1) & (shadow->capacity - 1);
        shadow->pages[slot] = old.pages[i];
    }
    free(old.pages);
}

struct page *shadow_page(struct shadow *shadow, uint64_t address, bool make)
{
    uint64_t number = address / PAGE;

    if (shadow->last && shadow->last->number == number)
        return shadow->last;
    if (make && 2 * shadow->count >= shadow->capacity)
        grow(shadow);
    if (!shadow->capacity)
        return NULL;
    size_t slot = slot_of(shadow, number);
    while (shadow->pages[slot] && shadow->pages[slot]->number != number)
        slot = (slot + 1) & (shadow->capacity - 1);
    if (!shadow->pages[slot]) {
        if (!make)
            return NULL;
        shadow->pages[slot] = new_array(1, sizeof *shadow->pages[slot]);
        shadow->pages[slot]->number = number;
        shadow->count++;
    }
    return shadow->last = shadow->pages[slot];
}

void shadow_free(struct shadow *shadow)
{
    for (size_t i = 0; i < shadow->capacity; i++)
        free(shadow->pages[i]);
    free(shadow->pages);
}

void shadow_write(struct shadow *shadow, uint64_t address, uint64_t length, uint32_t event,
                  struct value_type type, const uint64_t *writers)
{
    for (uint64_t at = address, left = length; left;) {
        struct page *page = shadow_page(shadow, at, true);
        unsigned granule = (unsigned)(at % PAGE / GRANULE), first = (unsigned)(at % GRANULE);
        uint64_t count = GRANULE - first < left ? GRANULE - first : left;
        uint8_t mask = (uint8_t)(((1u << count) - 1) << first);
        page->types[granule] = kept_type(type);
        page->differs[granule] =
            event ? page->differs[granule] | mask : (uint8_t)(page->differs[granule] & ~mask);
        if (event)
            page->events[granule] = event;
        for (unsigned i = 0; i < 2; i++)
            if (writers[i] != NO_NUMBER)
                page->writers[i][granule] = writers[i] + 1;
        at += count;
        left -= count;
    }
}

uint32_t shadow_event(struct shadow *shadow, uint64_t address, uint64_t length)
{
    for (uint64_t at = address, left = length; left;) {
        const struct page *page = shadow_page(shadow, at, false);
        uint64_t count = page ? GRANULE - at % GRANULE : PAGE - at % PAGE;
        unsigned granule = (unsigned)(at % PAGE / GRANULE);
        if (count > left)
            count = left;
        if (page && page->differs[granule] >> at % GRANULE & ((1u << count) - 1))
            return page->events[granule];
        at += count;
        left -= count;
    }
    return 0;
}

struct value_type shadow_type(struct shadow *shadow, uint64_t address)
{
    const struct page *page = shadow_page(shadow, address, false);

    return type_from_kept(page ? page->types[address % PAGE / GRANULE] : 0);
}
