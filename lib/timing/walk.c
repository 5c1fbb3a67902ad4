/* See walk.h. The cycles are computed up to the one in which an instruction needs an address, when
 * all older instructions are known. */
#include "lib/timing/walk.h"
#include <stdlib.h>

bool walks_init(struct walks *walks, const struct walk_settings *settings)
{
    *walks = (struct walks){.settings = *settings};
    walks->rows = calloc(settings->rows ? settings->rows : 1, sizeof *walks->rows);
    return walks->rows != NULL;
}

void walks_free(struct walks *walks)
{
    free(walks->rows);
}

static bool has_room(const struct walks *walks, const struct walk_row *row, uint64_t cycle)
{
    return row->is_active && row->start <= cycle && row->count < walks->settings.ahead && row->left;
}

/* Locates an address in this cycle, if a row has room. */
static bool locate(struct walks *walks, uint64_t cycle)
{
    for (unsigned i = 0; i < walks->highest; i++) {
        unsigned number = (walks->last + 1 + i) % walks->highest;
        struct walk_row *row = &walks->rows[number];
        if (!has_room(walks, row, cycle))
            continue;
        row->ready[(row->first + row->count++) % WALK_AHEAD] = cycle + walks->settings.locate;
        row->left -= row->left != UINT64_MAX;
        walks->last = number;
        return true;
    }
    return false;
}

/* Returns the first cycle after `cycle` in which a walk begins. UINT64_MAX: there is none. */
static uint64_t next_start(const struct walks *walks, uint64_t cycle)
{
    uint64_t next = UINT64_MAX;

    for (unsigned i = 0; i < walks->highest; i++) {
        const struct walk_row *row = &walks->rows[i];
        if (row->is_active && row->start > cycle && row->start < next)
            next = row->start;
    }
    return next;
}

/* Computes the cycles up to `limit`. */
static void run(struct walks *walks, uint64_t limit)
{
    while (walks->next <= limit) {
        if (locate(walks, walks->next)) {
            walks->next++;
            continue;
        }
        uint64_t start = next_start(walks, walks->next);
        walks->next = start <= limit ? start : limit + 1;
    }
}

void walks_begin(struct walks *walks, unsigned row, uint64_t cycle, uint64_t delay,
                 uint64_t addresses)
{
    if (row >= walks->settings.rows)
        return;
    run(walks, cycle);
    if (row >= walks->highest) {
        /* The row after the last one is the next in turn, however many rows there are. */
        if (walks->highest == 0)
            walks->last = row;
        walks->highest = row + 1;
    }
    walks->rows[row] = (struct walk_row){
        .is_active = true,
        .start = cycle + delay - walks->settings.locate,
        .left = addresses ? addresses : UINT64_MAX,
    };
}

uint64_t walks_ready(struct walks *walks, unsigned number, uint64_t cycle)
{
    struct walk_row *row = &walks->rows[number];

    if (number >= walks->settings.rows)
        return cycle;
    if (!row->is_active)
        walks_begin(walks, number, cycle, 1 + walks->settings.locate, 0);
    run(walks, cycle);
    while (row->count == 0 && row->left)
        run(walks, walks->next);
    if (row->count == 0)
        return cycle;
    uint64_t ready = row->ready[row->first];
    return ready > cycle ? ready : cycle;
}

bool walks_has(struct walks *walks, unsigned number, uint64_t cycle)
{
    struct walk_row *row = &walks->rows[number];

    if (number >= walks->settings.rows)
        return true;
    if (!row->is_active)
        walks_begin(walks, number, cycle, 1 + walks->settings.locate, 0);
    run(walks, cycle);
    return row->count ? row->ready[row->first] <= cycle : !row->left;
}

void walks_take(struct walks *walks, unsigned number, uint64_t cycle)
{
    struct walk_row *row = &walks->rows[number];

    if (number >= walks->settings.rows)
        return;
    run(walks, cycle);
    if (row->count == 0)
        return;
    row->first = (row->first + 1) % WALK_AHEAD;
    row->count--;
}

unsigned walks_count(const struct walks *walks, unsigned number, uint64_t cycle)
{
    const struct walk_row *row = &walks->rows[number];
    unsigned count = 0;

    while (number < walks->settings.rows && count < row->count &&
           row->ready[(row->first + count) % WALK_AHEAD] <= cycle)
        count++;
    return count;
}
