/* The differences that were found, and which follow from which. */
#include "emu/tdiff/lossless.h"

#include <stdlib.h>

enum { FIRST_EVENTS = 1 << 10, EVENTS = 1 << 23 };

/* Is it a difference of the data of the programs, not of instructions? */
static bool is_data(const struct event *event)
{
    return event->numbers[0] == NO_NUMBER && event->numbers[1] == NO_NUMBER;
}

static bool follows_from_argument(const struct event *parent)
{
    return parent->is_argument && !is_data(parent);
}

uint32_t event_add(struct lossless *walk, const uint64_t *numbers, const uint64_t *pcs,
                   const uint32_t *parents)
{
    if (walk->event_count == EVENTS) /* so many that the last one stands for all others */
        return EVENTS - 1;
    if (walk->event_count == walk->event_capacity) {
        walk->event_capacity = walk->event_capacity ? 2 * walk->event_capacity : FIRST_EVENTS;
        walk->events = reallocarray(walk->events, walk->event_capacity, sizeof *walk->events);
        if (!walk->events)
            end_without_memory();
    }
    walk->events[walk->event_count] =
        (struct event){.numbers = {numbers[0], numbers[1]},
                       .pcs = {pcs[0], pcs[1]},
                       .parents = {parents[0], parents[1]},
                       .is_argument = walk->event_count != EVENTS - 1 && parents[0] != 0 &&
                                      follows_from_argument(&walk->events[parents[0]])};
    return walk->event_count++;
}

uint32_t event_root(const struct lossless *walk, uint32_t event)
{
    for (uint32_t parent; (parent = walk->events[event].parents[0]) != 0; event = parent)
        if (is_data(&walk->events[parent]))
            break;
    return event;
}

void event_set_argument(struct lossless *walk, uint32_t event, bool is_argument)
{
    if (event != EVENTS - 1) /* which stands for others */
        walk->events[event].is_argument = is_argument;
}

struct difference *known_difference(struct lossless *walk, const struct difference *difference)
{
    const uint64_t key[] = {difference->kind, difference->pcs[0], difference->pcs[1]};

    return map_get_bytes(&walk->places, (const char *)key, sizeof key);
}

unsigned event_chain(const struct lossless *walk, uint32_t event, uint32_t *chain, bool *is_cut)
{
    unsigned count = 0;

    *is_cut = false;
    while ((event = walk->events[event].parents[0]) != 0) {
        if (count < CAUSES) {
            chain[count++] = event;
        } else {
            chain[CAUSES - 1] = event;
            *is_cut = true;
        }
    }
    return count;
}
