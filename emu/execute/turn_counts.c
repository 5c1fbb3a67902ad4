/* See turn_counts.h. */
#include "emu/execute/turn_counts.h"
#include "emu/workers/workers.h"

uint64_t turn_counts_before(const struct turns *turns, const struct hart *hart,
                            const struct decoded *record, int64_t left)
{
    int64_t rests = record->remaining;
    unsigned supervisor = 0; /* which may have several slots */

    for (unsigned i = 0; i < turns->count; i++) {
        const struct turn *turn = &turns->ring[i];
        if (turn->hart != hart && (turn->thread || !supervisor++))
            rests += turn->hart->next->remaining;
    }
    return turns->until - (uint64_t)(left + rests);
}

uint64_t turn_counts_turn(const struct turns *turns, uint64_t number)
{
    const struct workers *workers = turns->machine->workers;

    if (turns->is_uneven)
        return turns->uneven.number;
    return workers->turn + number / turns->count * workers->count +
           turns->ring[number % turns->count].distance;
}

uint64_t turn_counts_of(const struct turns *turns, unsigned index, uint64_t executed)
{
    return turns->is_uneven ? turns->ring[index].executed
                            : executed / turns->count + (index < executed % turns->count);
}

uint64_t turn_counts_of_thread(const struct turns *turns, const struct hart *hart, uint64_t number)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < turns->count; i++)
        if (turns->ring[i].hart == hart)
            count += turn_counts_of(turns, i, number);
    return count;
}
