/* The times of a lossless trace: the part of its reader (ttrace_read.h) that decodes the blocks of
 * times. */
#include "lib/trace/ttrace_block.h"

#include <stdlib.h>

static bool read_time_names(struct ttrace *trace, struct bytes *bytes)
{
    struct ttrace_time_names *names = &trace->time_names;
    uint64_t count, length;

    for (unsigned i = 0; i < TTRACE_NAMES; i++) {
        if (!get(bytes, &count) || count > TTRACE_NAMES_LIMIT)
            return false;
        names->counts[i] = (unsigned)count;
        for (uint64_t at = 0; at < count; at++) {
            const unsigned char *name = take_string(bytes, &length);
            if (!name)
                return false;
            names->names[i][at] = arena_copy(trace->arena, (const char *)name, length);
        }
    }
    return true;
}

static bool read_times(struct ttrace *trace, struct bytes *bytes, struct ttrace_timed *timed,
                       struct ttrace_columns *columns)
{
    uint64_t lengths[TTRACE_TIME_COLUMNS];

    if (!get(bytes, &timed->first) || !get(bytes, &timed->count) || timed->count == 0 ||
        !read_time_names(trace, bytes))
        return false;
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++)
        if (!get(bytes, &lengths[i]))
            return false;
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++) {
        const unsigned char *column = take(bytes, lengths[i]);
        if (!column || lengths[i] < timed->count)
            return false;
        columns->items[i] = (struct bytes){column, column + lengths[i]};
    }
    return left_in(bytes) == 0;
}

unsigned char *clock_load(struct ttrace *trace, struct ttrace_timed *timed,
                          struct ttrace_columns *columns)
{
    unsigned char *block = block_resize(NULL, timed->size, 1);
    struct bytes contents;

    if (block_unpack(trace, timed->bytes, timed->length, block, timed->size, TTRACE_TIMES,
                     &contents) &&
        (read_times(trace, &contents, timed, columns) ||
         block_damaged(trace, timed->bytes, "the times are impossible")))
        return block;
    free(block);
    return NULL;
}

static bool read_conflicts(struct ttrace_clock *clock, struct ttrace_time *time)
{
    struct bytes *column = &clock->columns->items[TTRACE_TIME_CONFLICTS];
    uint64_t count;

    if (!get(column, &count) || count > TTRACE_CONFLICTS)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!get(column, &clock->conflicts[i]))
            return false;
    time->conflicts = clock->conflicts;
    time->conflict_count = (unsigned)count;
    return true;
}

static bool read_passes(struct ttrace_clock *clock, struct ttrace_time *time)
{
    const struct ttrace_time_names *names = &clock->trace->time_names;
    struct bytes *column = &clock->columns->items[TTRACE_TIME_PASSES];
    uint64_t count, turn, thread;

    if (!get(column, &count) || count > left_in(column) / 3)
        return false;
    if (count > clock->pass_capacity) {
        clock->pass_capacity = count;
        clock->passes = block_resize(clock->passes, count, sizeof *clock->passes);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct ttrace_pass *pass = &clock->passes[i];
        if (!get(column, &turn) || !get(column, &thread) || !get_byte(column, &pass->stall) ||
            thread > clock->trace->workers || pass->stall == 0 ||
            pass->stall > names->counts[TTRACE_STALL_NAMES])
            return false;
        pass->turn = clock->turn += ttrace_unzigzag(turn);
        pass->thread = (uint32_t)thread;
    }
    time->passes = clock->passes;
    time->pass_count = count;
    return true;
}

static bool read_time(struct ttrace_clock *clock, struct ttrace_time *time)
{
    const struct ttrace_time_names *names = &clock->trace->time_names;
    struct bytes *columns = clock->columns->items;
    uint64_t distance, start, cycle;

    if (!get(&columns[TTRACE_TIME_RECORDS], &distance) ||
        !get(&columns[TTRACE_TIME_STAGES], &start))
        return false;
    clock->record += distance;
    clock->cycle += ttrace_unzigzag(start);
    time->record = clock->record;
    time->cycles[TTRACE_F] = clock->cycle;
    for (unsigned i = TTRACE_F + 1; i < TTRACE_STAGES; i++) {
        if (!get(&columns[TTRACE_TIME_STAGES + i], &cycle))
            return false;
        time->cycles[i] = cycle ? clock->cycle + ttrace_unzigzag(cycle - 1) : TTRACE_NEVER;
    }
    return get_byte(&columns[TTRACE_TIME_STALLS], &time->stall) &&
           get_byte(&columns[TTRACE_TIME_WAITS], &time->wait) &&
           get_byte(&columns[TTRACE_TIME_UNITS], &time->unit) &&
           get(&columns[TTRACE_TIME_BLOCKERS], &time->blocker) && read_conflicts(clock, time) &&
           get_byte(&columns[TTRACE_TIME_ROWS], &time->row) &&
           get(&columns[TTRACE_TIME_LOCATED], &time->located) && read_passes(clock, time) &&
           time->stall <= names->counts[TTRACE_STALL_NAMES] &&
           time->wait <= names->counts[TTRACE_WAIT_NAMES] &&
           time->unit <= names->counts[TTRACE_UNIT_NAMES];
}

bool ttrace_clock_next(struct ttrace_clock *clock, struct ttrace *trace, struct ttrace_time *time)
{
    clock->trace = trace;
    while (clock->left == 0) {
        free(clock->block);
        clock->block = NULL;
        if (clock->failed || clock->next == trace->timed_count)
            return false;
        if (!clock->columns)
            clock->columns = block_resize(NULL, 1, sizeof *clock->columns);
        struct ttrace_timed *timed = &trace->timed[clock->next++];
        clock->block = clock_load(trace, timed, clock->columns);
        clock->failed = !clock->block;
        clock->left = timed->count;
        clock->record = timed->first;
        clock->cycle = clock->turn = 0;
        if (clock->failed)
            return false;
    }
    clock->left--;
    if (read_time(clock, time))
        return true;
    clock->left = 0;
    clock->failed = true;
    return block_damaged(trace, trace->timed[clock->next - 1].bytes, "a time is impossible");
}

void ttrace_clock_free(struct ttrace_clock *clock)
{
    free(clock->block);
    free(clock->columns);
    free(clock->passes);
}
