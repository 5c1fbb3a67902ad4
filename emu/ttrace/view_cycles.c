/* See view.h: the times of the records of a page.
 *
 * A chunk has the cycle in which each record left D, by its distance from the one before, and the
 * other stages by their distance from that; in a barrel also how many turns of its thread passed
 * before it, and the runs of such turns. The lanes of stalls, of which a barrel has one for each
 * thread, and of units are divided into bins of cycles. Their width grows until there are at most
 * BINS of them, and each level of detail has bins that are SCALE times as wide. */
#include "emu/ttrace/view.h"
#include "lib/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    BINS = 1 << 18,
    SCALE = 4,
    SMALLEST = 16, /* cycles in a bin, at first */
    FEWEST = 1024, /* bins of the last level, at most, unless it is the first */
    THREADS = TTRACE_WORKERS + 1,
    LANES = THREADS + TTRACE_NAMES_LIMIT, /* of stalls, then of units */
    COLUMNS = TTRACE_STAGES + 4, /* of a chunk: leave, stages, causes and unit, blocker, passed */
    SAMPLE = 64,                 /* records from one entry of the table of cycles to the next */
};

struct bin {
    uint32_t busy, waiting, votes; /* cycles; votes for `cause` */
    uint8_t cause;                 /* of most of the waiting */
};

/* Turns of a thread that passed one after the other, for one cause. */
struct passed {
    uint64_t from, to;
    uint32_t count; /* of turns since the last instruction of the thread */
    uint8_t stall;  /* 0: there is no run */
};

struct view_cycles {
    FILE *page;
    struct bin *lanes[LANES];
    unsigned threads; /* of the barrel; 0: there is none */
    unsigned stalls;  /* lanes of them */
    uint64_t width, last;
    struct passed passed[THREADS];
    struct text columns[COLUMNS], runs, samples;
    uint64_t count, leave, base;
};

struct view_cycles *view_cycles_new(FILE *page, unsigned workers)
{
    struct view_cycles *cycles = calloc(1, sizeof *cycles);

    if (!cycles)
        output_end("ttrace: error: out of memory\n");
    cycles->page = page;
    cycles->width = SMALLEST;
    cycles->threads = workers ? workers + 1 : 0;
    cycles->stalls = workers ? workers + 1 : 1;
    return cycles;
}

/* ---- lanes ---- */

static void merge(struct bin *to, const struct bin *from)
{
    to->busy += from->busy;
    to->waiting += from->waiting;
    if (to->cause == from->cause) {
        to->votes += from->votes;
    } else if (to->votes < from->votes) {
        to->cause = from->cause;
        to->votes = from->votes - to->votes;
    } else {
        to->votes -= from->votes;
    }
}

/* Makes bins SCALE times as wide. */
static void widen(struct bin *bins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bin bin = bins[i];
        if (i % SCALE == 0)
            memset(&bins[i / SCALE], 0, sizeof bin);
        merge(&bins[i / SCALE], &bin);
    }
    size_t left = (count + SCALE - 1) / SCALE;
    memset(bins + left, 0, (count - left) * sizeof *bins);
}

/* Makes the bins wide enough for the cycles before `to`. */
static void make_fit(struct view_cycles *cycles, uint64_t to)
{
    for (; to && (to - 1) / cycles->width >= BINS; cycles->width *= SCALE)
        for (unsigned i = 0; i < LANES; i++)
            if (cycles->lanes[i])
                widen(cycles->lanes[i], BINS);
}

/* Adds the cycles [from, to) to a lane: at work, or waiting for the cause. */
static void add_cycles(struct view_cycles *cycles, unsigned lane, uint64_t from, uint64_t to,
                       uint8_t cause)
{
    if (from >= to)
        return;
    make_fit(cycles, to);
    if (!cycles->lanes[lane])
        cycles->lanes[lane] = calloc(BINS, sizeof **cycles->lanes);
    if (!cycles->lanes[lane])
        output_end("ttrace: error: out of memory\n");
    for (uint64_t bin = from / cycles->width; bin <= (to - 1) / cycles->width; bin++) {
        uint64_t start = bin * cycles->width, end = start + cycles->width;
        uint32_t count = (uint32_t)((end < to ? end : to) - (start > from ? start : from));
        struct bin part = {.cause = cause, .votes = cause ? count : 0};
        *(cause ? &part.waiting : &part.busy) = count;
        if (!cause)
            part.cause = cycles->lanes[lane][bin].cause;
        merge(&cycles->lanes[lane][bin], &part);
    }
}

/* ---- the turns of a barrel that pass ---- */

/* Ends the run of the thread, if there is one. */
static void end_run(struct view_cycles *cycles, unsigned thread)
{
    struct passed *passed = &cycles->passed[thread];

    if (!passed->stall)
        return;
    add_cycles(cycles, thread, passed->from, passed->to, passed->stall);
    view_word(&cycles->runs, thread | (uint32_t)passed->stall << 16);
    view_word(&cycles->runs, (uint32_t)(passed->from - cycles->base));
    view_word(&cycles->runs, (uint32_t)(passed->to - cycles->base));
    passed->stall = 0;
}

void view_cycles_pass(struct view_cycles *cycles, const struct ttrace_time *time)
{
    for (size_t i = 0; i < time->pass_count; i++) {
        const struct ttrace_pass *pass = &time->passes[i];
        struct passed *passed = &cycles->passed[pass->thread];
        if (passed->stall != pass->stall) {
            end_run(cycles, pass->thread);
            passed->from = pass->turn;
            passed->stall = pass->stall;
        }
        passed->to = pass->turn + 1;
        passed->count++;
        if (passed->to > cycles->last)
            cycles->last = passed->to;
    }
}

/* The thread executes an instruction. Returns how many of its turns passed before it. */
static uint32_t take_passed(struct view_cycles *cycles, unsigned thread)
{
    uint32_t count = cycles->passed[thread].count;

    end_run(cycles, thread);
    cycles->passed[thread].count = 0;
    return count;
}

/* ---- records ---- */

static void end_chunk(struct view_cycles *cycles)
{
    struct text part = TEXT_INIT;
    char name[24];

    for (unsigned i = 0; i < cycles->threads; i++)
        end_run(cycles, i);
    view_word(&part, (uint32_t)cycles->base);
    view_word(&part, (uint32_t)(cycles->base >> 32));
    for (unsigned i = 0; i < COLUMNS; i++) {
        text_append_bytes(&part, cycles->columns[i].bytes, cycles->columns[i].length);
        text_clear(&cycles->columns[i]);
    }
    text_append_bytes(&part, cycles->runs.bytes, cycles->runs.length);
    text_clear(&cycles->runs);
    snprintf(name, sizeof name, "t%" PRIu64, (cycles->count - 1) / VIEW_CHUNK);
    view_part(cycles->page, name, &part);
    text_free(&part);
}

/* Adds what the lanes show of the instruction. The decoder stalls in all cycles after `before`, in
 * which the instruction before it left D. */
static void add_to_lanes(struct view_cycles *cycles, const struct ttrace_time *time,
                         uint64_t before)
{
    const uint64_t *at = time->cycles;
    unsigned lane = cycles->stalls + time->unit - 1;

    if (time->stall && !cycles->threads)
        add_cycles(cycles, 0, cycles->count ? before + 1 : 0, cycles->leave, time->stall);
    if (!time->unit || at[TTRACE_M] == TTRACE_NEVER || at[TTRACE_E] == TTRACE_NEVER)
        return;
    add_cycles(cycles, lane, at[TTRACE_M], at[TTRACE_E], 0);
    if (time->wait && at[TTRACE_P] != TTRACE_NEVER)
        add_cycles(cycles, lane, at[TTRACE_P] + 1, at[TTRACE_M], time->wait);
}

void view_cycles_add(struct view_cycles *cycles, const struct ttrace_time *time, uint32_t thread)
{
    static const struct ttrace_time unknown = {
        .cycles = {[0 ... TTRACE_STAGES - 1] = TTRACE_NEVER}};
    uint64_t before = cycles->leave;

    if (!time)
        time = &unknown;
    if (cycles->count % VIEW_CHUNK == 0) {
        if (cycles->count)
            end_chunk(cycles);
        cycles->base = before;
    }
    view_cycles_pass(cycles, time);
    for (unsigned i = 0; i < TTRACE_STAGES; i++)
        if (time->cycles[i] != TTRACE_NEVER && time->cycles[i] > cycles->last)
            cycles->last = time->cycles[i];
    if (time->cycles[TTRACE_Q] != TTRACE_NEVER)
        cycles->leave = time->cycles[TTRACE_Q];
    else if (time->cycles[TTRACE_X] != TTRACE_NEVER)
        cycles->leave = time->cycles[TTRACE_X];
    if (cycles->count % SAMPLE == 0) {
        view_word(&cycles->samples, (uint32_t)cycles->leave);
        view_word(&cycles->samples, (uint32_t)(cycles->leave >> 32));
    }
    view_word(&cycles->columns[0], (uint32_t)(cycles->leave - before));
    for (unsigned i = 0; i < TTRACE_STAGES; i++) {
        uint64_t distance = ttrace_zigzag(time->cycles[i] - cycles->leave) + 1;
        view_word(&cycles->columns[1 + i],
                  time->cycles[i] == TTRACE_NEVER ? 0 : (uint32_t)distance);
    }
    view_word(&cycles->columns[1 + TTRACE_STAGES],
              time->stall | (uint32_t)time->wait << 8 | (uint32_t)time->unit << 16);
    view_word(&cycles->columns[2 + TTRACE_STAGES], (uint32_t)time->blocker);
    if (cycles->threads) {
        bool is_timed = time != &unknown && thread - 1 < cycles->threads;
        view_word(&cycles->columns[3 + TTRACE_STAGES],
                  is_timed ? take_passed(cycles, thread - 1) : 0);
    }
    add_to_lanes(cycles, time, before);
    cycles->count++;
}

/* ---- the parts ---- */

static unsigned share_of(uint64_t part, uint64_t width)
{
    uint64_t share = (part * 255 + width - 1) / width;

    return share < 255 ? (unsigned)share : 255;
}

/* Writes the levels: for each lane the bins, as the share of work, the share of waiting, and the
 * cause of most of it. */
static void put_levels(struct view_cycles *cycles, unsigned lanes, struct text *json)
{
    struct text part = TEXT_INIT;
    char name[24];

    make_fit(cycles, cycles->last);
    size_t bins = cycles->last ? (size_t)((cycles->last - 1) / cycles->width + 1) : 1;

    text_append(json, ",\"widths\":[");
    for (unsigned level = 0; level == 0 || bins > FEWEST; level++) {
        if (level) {
            for (unsigned lane = 0; lane < lanes; lane++)
                if (cycles->lanes[lane])
                    widen(cycles->lanes[lane], bins);
            cycles->width *= SCALE;
            bins = (bins + SCALE - 1) / SCALE;
        }
        for (unsigned lane = 0; lane < lanes; lane++)
            for (size_t i = 0; i < bins; i++) {
                struct bin bin = {.busy = 0};
                if (cycles->lanes[lane])
                    bin = cycles->lanes[lane][i];
                text_append_char(&part, (char)share_of(bin.busy, cycles->width));
                text_append_char(&part, (char)share_of(bin.waiting, cycles->width));
                text_append_char(&part, (char)bin.cause);
            }
        text_format(json, "%s%" PRIu64, level ? "," : "", cycles->width);
        snprintf(name, sizeof name, "u%u", level);
        view_part(cycles->page, name, &part);
    }
    text_append_char(json, ']');
    text_free(&part);
}

void view_cycles_end(struct view_cycles *cycles, const struct ttrace_time_names *names,
                     struct text *json)
{
    static const char *const lists[TTRACE_NAMES] = {"stalls", "waits", "units"};

    if (cycles->count)
        end_chunk(cycles);
    text_format(json, ",\n\"time\":{\"cycles\":%" PRIu64 ",\"sample\":%d,\"lanes\":%u",
                cycles->last ? cycles->last : 1, SAMPLE, cycles->stalls);
    for (unsigned list = 0; list < TTRACE_NAMES; list++) {
        text_format(json, ",\"%s\":[", lists[list]);
        for (unsigned i = 0; i < names->counts[list]; i++) {
            text_append(json, i ? "," : "");
            view_string(json, names->names[list][i], strlen(names->names[list][i]));
        }
        text_append_char(json, ']');
    }
    put_levels(cycles, cycles->stalls + names->counts[TTRACE_UNIT_NAMES], json);
    text_append_char(json, '}');
    view_part(cycles->page, "samples", &cycles->samples);
    for (unsigned i = 0; i < COLUMNS; i++)
        text_free(&cycles->columns[i]);
    for (unsigned i = 0; i < LANES; i++)
        free(cycles->lanes[i]);
    text_free(&cycles->runs);
    text_free(&cycles->samples);
    free(cycles);
}
