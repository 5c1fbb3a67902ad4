/* See view.h: what the page shows of many records at once.
 *
 * Levels of detail: a level divides the records into bins of the same size, and has for each thread
 * the share of its records in the bin and the function of most of them, and for each unit the share
 * of its records. A map of the scratchpad and the links of the network have COLUMNS columns. */
#include "emu/ttrace/view.h"
#include "lib/machine/config.h"
#include "lib/map.h"
#include "lib/output.h"
#include "lib/timing/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEVELS = 6,
    SMALLEST = 64, /* records in a bin of the first level; of the next one, SCALE times as many */
    SCALE = 4,
    THREADS = 64, /* that have a lane; the last one has all others, too */
    LANES = THREADS + 16,
    ENTRY = 3, /* bytes of a bin: share of 255, function */
    COLUMNS = 1024,
    GRANULES = 2048, /* of the scratchpad, while records are added */
    ROWS = 256,      /* of the map, at most */
};

/* A lane of a level: its bins, and what is known of the current one. */
struct lane {
    struct text bins;
    uint32_t count;
    unsigned function; /* of most records, if there is one of more than half */
    uint32_t votes;
};

struct link {
    uint64_t from, to, bytes;
};

struct view_time {
    uint64_t total, count;
    struct lane levels[LEVELS][LANES];
    uint32_t threads[THREADS]; /* the number of the thread of each lane */
    unsigned thread_count;
    uint64_t base, size, first, last; /* of the scratchpad; the granules that were touched */
    uint32_t *read, *written;         /* bytes, by column and granule */
    struct arena arena;
    struct map link_numbers;
    struct link *links;
    size_t link_capacity;
    struct text hops; /* column, link, bytes */
    uint64_t column;
};

struct view_time *view_time_new(uint64_t count)
{
    struct view_time *time = calloc(1, sizeof *time);
    struct config config;

    config_default(&config);
    if (time) {
        time->read = calloc((size_t)COLUMNS * GRANULES, sizeof *time->read);
        time->written = calloc((size_t)COLUMNS * GRANULES, sizeof *time->written);
    }
    if (!time || !time->read || !time->written)
        output_end("ttrace: error: out of memory\n");
    time->total = count ? count : 1;
    time->base = config.scratchpad_base;
    time->size = config.scratchpad_size;
    time->first = GRANULES;
    map_init(&time->link_numbers, &time->arena);
    return time;
}

/* ---- levels of detail ---- */

static uint64_t width_of(unsigned level)
{
    return (uint64_t)SMALLEST << 2 * level;
}

/* Ends the current bin of the lane; those before it that are missing are empty. */
static void end_bin(struct lane *lane, uint64_t bin, uint64_t width)
{
    uint64_t share = lane->count * UINT64_C(255) / width;

    if (lane->count == 0)
        return;
    while (lane->bins.length < bin * ENTRY)
        text_append_char(&lane->bins, '\0');
    text_append_char(&lane->bins, (char)(share ? share : 1));
    view_short(&lane->bins, lane->function);
    lane->count = lane->votes = 0;
}

static void end_bins(struct view_time *time)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        uint64_t width = width_of(level);
        if (time->count % width && time->count != time->total)
            return; /* a level's bins end where one of the level before ends */
        for (unsigned lane = 0; lane < LANES; lane++)
            end_bin(&time->levels[level][lane], (time->count - 1) / width, width);
    }
}

static void add_to_lane(struct view_time *time, unsigned number, unsigned function)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        struct lane *lane = &time->levels[level][number];
        lane->count++;
        if (lane->votes == 0)
            lane->function = function;
        if (lane->function == function)
            lane->votes++;
        else
            lane->votes--;
    }
}

static unsigned lane_of(struct view_time *time, uint32_t thread)
{
    unsigned lane = 0;

    while (lane < time->thread_count && time->threads[lane] != thread)
        lane++;
    if (lane < time->thread_count)
        return lane;
    if (lane == THREADS)
        return THREADS - 1;
    time->threads[time->thread_count++] = thread;
    return lane;
}

/* ---- the scratchpad and the network ---- */

static void add_bytes(struct view_time *time, uint32_t *map, uint64_t address, uint64_t length)
{
    uint64_t granule = time->size / GRANULES ? time->size / GRANULES : 1;
    uint64_t end = address + length;

    if (end <= time->base || address >= time->base + time->size || end < address)
        return;
    address = address < time->base ? time->base : address;
    end = end > time->base + time->size ? time->base + time->size : end;
    while (address < end) {
        uint64_t row = (address - time->base) / granule;
        uint64_t next = time->base + (row + 1) * granule;
        next = next < end ? next : end;
        map[time->column * GRANULES + row] += (uint32_t)(next - address);
        time->first = row < time->first ? row : time->first;
        time->last = row > time->last ? row : time->last;
        address = next;
    }
}

/* Writes what the links carried in the column. */
static void end_column(struct view_time *time)
{
    for (size_t i = 0; i < time->link_numbers.count; i++) {
        struct link *link = &time->links[i];
        if (link->bytes == 0)
            continue;
        view_word(&time->hops, (uint32_t)time->column);
        view_word(&time->hops, (uint32_t)i);
        view_word(&time->hops, link->bytes < UINT32_MAX ? (uint32_t)link->bytes : UINT32_MAX);
        link->bytes = 0;
    }
}

static void add_hop(struct view_time *time, const struct effect *effect)
{
    const uint64_t key[] = {effect->address, effect->length};
    size_t count = time->link_numbers.count;
    struct map_entry *entry = map_entry(&time->link_numbers, (const char *)key, sizeof key);
    size_t number = (size_t)(entry - time->link_numbers.entries);

    if (number == count) {
        time->links =
            arena_grow(&time->arena, time->links, count, &time->link_capacity, sizeof *time->links);
        time->links[number] = (struct link){.from = effect->address, .to = effect->length};
    }
    time->links[number].bytes += effect->value;
}

void view_time_add(struct view_time *time, const struct ttrace_record *record, unsigned function,
                   int unit)
{
    uint64_t column = time->count * COLUMNS / time->total;

    if (column != time->column)
        end_column(time);
    time->column = column;
    add_to_lane(time, lane_of(time, record->thread), function);
    if (unit >= 0 && unit < LANES - THREADS)
        add_to_lane(time, THREADS + (unsigned)unit, 0);
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ)
            add_bytes(time, time->read, effect->address, effect->length);
        else if (effect->kind == EFFECT_STORE || effect->kind == EFFECT_RANGE_WRITE)
            add_bytes(time, time->written, effect->address, effect->length);
        else if (effect->kind == EFFECT_HOP)
            add_hop(time, effect);
    }
    time->count++;
    end_bins(time);
}

/* ---- the parts ---- */

static void put_levels(struct view_time *time, FILE *page, struct text *json)
{
    struct text part = TEXT_INIT;
    char name[16];

    text_append(json, ",\n\"threads\":[");
    for (unsigned i = 0; i < time->thread_count; i++)
        text_format(json, "%s%" PRIu32, i ? "," : "", time->threads[i]);
    text_append(json, "],\"units\":[");
    for (size_t i = 0; i < time_unit_count && i < LANES - THREADS; i++)
        text_format(json, "%s\"%s\"", i ? "," : "", time_units[i].name);
    text_append(json, "],\"widths\":[");
    for (unsigned level = 0; level < LEVELS; level++) {
        uint64_t bins = (time->count + width_of(level) - 1) / width_of(level);
        for (unsigned i = 0; i < time->thread_count + time_unit_count && i < LANES; i++) {
            unsigned number = i < time->thread_count ? i : THREADS + i - time->thread_count;
            struct lane *lane = &time->levels[level][number];
            while (lane->bins.length < bins * ENTRY)
                text_append_char(&lane->bins, '\0');
            text_append_bytes(&part, lane->bins.bytes, lane->bins.length);
        }
        text_format(json, "%s%" PRIu64, level ? "," : "", width_of(level));
        snprintf(name, sizeof name, "l%u", level);
        view_part(page, name, &part);
    }
    text_append_char(json, ']');
    text_free(&part);
}

/* Writes the map: for each column and row the bytes read, then the bytes written. */
static void put_map(struct view_time *time, FILE *page, struct text *json)
{
    uint64_t granule = time->size / GRANULES ? time->size / GRANULES : 1;
    uint64_t granules = time->last >= time->first ? time->last - time->first + 1 : 0;
    uint64_t each = (granules + ROWS - 1) / ROWS, rows = each ? (granules + each - 1) / each : 0;
    struct text part = TEXT_INIT;

    for (unsigned kind = 0; kind < 2; kind++) {
        const uint32_t *map = kind ? time->written : time->read;
        for (uint64_t column = 0; column < COLUMNS && rows; column++)
            for (uint64_t row = 0; row < rows; row++) {
                uint64_t sum = 0, from = time->first + row * each;
                for (uint64_t i = from; i < from + each && i <= time->last; i++)
                    sum += map[column * GRANULES + i];
                view_word(&part, sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX);
            }
    }
    text_format(json,
                ",\n\"columns\":%d,\"map\":{\"base\":%" PRIu64 ",\"rows\":%" PRIu64
                ",\"bytes\":%" PRIu64 "}",
                COLUMNS, time->base + time->first % GRANULES * granule, rows, each * granule);
    view_part(page, "map", &part);
    text_free(&part);
}

/* Describes the links as [row, column, row, column]. */
static void put_network(struct view_time *time, FILE *page, struct text *json)
{
    end_column(time);
    text_append(json, ",\n\"links\":[");
    for (size_t i = 0; i < time->link_numbers.count; i++)
        text_format(json, "%s[%u,%u,%u,%u]", i ? "," : "", EFFECT_PLACE_ROW(time->links[i].from),
                    EFFECT_PLACE_COLUMN(time->links[i].from), EFFECT_PLACE_ROW(time->links[i].to),
                    EFFECT_PLACE_COLUMN(time->links[i].to));
    text_append_char(json, ']');
    view_part(page, "carried", &time->hops);
}

void view_time_end(struct view_time *time, FILE *page, struct text *json)
{
    time->total = time->count;
    if (time->count)
        end_bins(time);
    put_levels(time, page, json);
    put_map(time, page, json);
    put_network(time, page, json);
    for (unsigned level = 0; level < LEVELS; level++)
        for (unsigned lane = 0; lane < LANES; lane++)
            text_free(&time->levels[level][lane].bins);
    text_free(&time->hops);
    free(time->read);
    free(time->written);
    arena_free(&time->arena);
    free(time);
}
