/* The differences that were found, and which follow from which. */
#include "emu/tdiff/lossless.h"

uint32_t event_add(struct lossless *walk, const uint64_t *numbers, const uint64_t *pcs,
                   const uint32_t *parents)
{
    if (walk->event_count == EVENTS) /* so many that the last one stands for all others */
        return EVENTS - 1;
    walk->events[walk->event_count] = (struct event){.numbers = {numbers[0], numbers[1]},
                                                     .pcs = {pcs[0], pcs[1]},
                                                     .parents = {parents[0], parents[1]}};
    return walk->event_count++;
}

uint32_t event_root(const struct lossless *walk, uint32_t event)
{
    while (walk->events[event].parents[0])
        event = walk->events[event].parents[0];
    return event;
}

struct difference *known_difference(struct lossless *walk, const struct difference *difference)
{
    const uint64_t key[] = {difference->kind, difference->pcs[0], difference->pcs[1]};

    return map_get_bytes(&walk->places, (const char *)key, sizeof key);
}
