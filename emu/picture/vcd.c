/* The pipeline as a value change dump (IEEE 1364), for waveform viewers: of each stage whether an
 * instruction is in it and which one, the entries of the queues, and the instructions in each unit.
 * In a barrel, the same of the turns of each thread, and the number of the cause of a bubble, from
 * 1. A cycle is 1 ns. */
#include "emu/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE_F, STAGE_D, STAGE_X, STAGE_P, STAGE_C, STAGES, COUNT_Q = STAGES, COUNT_S, COUNT_M };
enum { THREAD = COUNT_M + PIPELINE_UNITS }; /* two of each thread of a barrel: X, and its wait */
enum { SIGNALS = THREAD + 2 * PIPELINE_THREADS };

static const char *const names[] = {"F", "D", "X", "P", "C", "Q", "S"};

struct picture_change {
    int64_t count[SIGNALS]; /* instructions in a stage, queue or unit */
    uint64_t sequence[SIGNALS];
    int64_t shown[SIGNALS];
    uint64_t shown_sequence[SIGNALS];
};

/* Is it a stage or a thread, which has a sequence number? */
static bool is_stage(int signal)
{
    return signal < STAGES || (signal >= THREAD && (signal - THREAD) % 2 == 0);
}

static int signal_count(const struct picture *picture)
{
    return THREAD + 2 * (int)picture->program.threads;
}

/* Writes the identifier of a variable: a printable character from '!' on, or of threads `t` and a
 * number. */
static void put_code(FILE *stream, int signal, bool is_sequence)
{
    if (signal >= THREAD)
        fprintf(stream, "t%d", 2 * (signal - THREAD) + is_sequence);
    else
        fputc('!' + 2 * signal + is_sequence, stream);
}

static void declare(FILE *stream, unsigned width, int signal, bool is_sequence, const char *name,
                    const char *suffix)
{
    fprintf(stream, "$var wire %u ", width);
    put_code(stream, signal, is_sequence);
    fprintf(stream, " %s_%s $end\n", name, suffix);
}

static void declare_stage(FILE *stream, int signal, const char *name)
{
    declare(stream, 1, signal, false, name, "valid");
    declare(stream, 64, signal, true, name, "sequence");
}

static void declare_threads(struct picture *picture)
{
    FILE *stream = picture->stream;

    for (unsigned i = 0; i < picture->program.threads; i++) {
        int signal = THREAD + 2 * (int)i;
        declare_stage(stream, signal, picture_thread(picture, i));
        declare(stream, 8, signal + 1, false, picture_thread(picture, i), "bubble");
    }
    if (!picture->program.threads)
        return;
    fputs("$comment bubbles:", stream);
    for (unsigned i = 0; i < STALL_ALL; i++)
        fprintf(stream, " %u %s", i + 1, pipeline_stall_names[i]);
    fputs(" $end\n", stream);
}

static void put_initial(FILE *stream, int signal)
{
    fputs(is_stage(signal) ? "0" : "b0 ", stream);
    put_code(stream, signal, false);
    fputc('\n', stream);
    if (!is_stage(signal))
        return;
    fputs("bx ", stream);
    put_code(stream, signal, true);
    fputc('\n', stream);
}

static void begin(struct picture *picture)
{
    FILE *stream = picture->stream;

    picture->state = calloc(1, sizeof(struct picture_change));
    fputs("$timescale 1ns $end\n$scope module pipeline $end\n", stream);
    for (int i = 0; i < STAGES; i++)
        declare_stage(stream, i, names[i]);
    for (int i = COUNT_Q; i < COUNT_M; i++)
        declare(stream, 16, i, false, names[i], "entries");
    for (size_t i = 0; i < time_unit_count; i++)
        declare(stream, 16, COUNT_M + (int)i, false, time_units[i].name, "busy");
    declare_threads(picture);
    fputs("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n", stream);
    for (int i = 0; i < COUNT_M + (int)time_unit_count; i++)
        put_initial(stream, i);
    for (int i = THREAD; i < signal_count(picture); i++)
        put_initial(stream, i);
    fputs("$end\n", stream);
}

static void put_binary(FILE *stream, uint64_t value, int signal, bool is_sequence)
{
    int bit = 63;

    while (bit > 0 && !(value >> bit & 1))
        bit--;
    fputc('b', stream);
    for (; bit >= 0; bit--)
        fputc('0' + (int)(value >> bit & 1), stream);
    fputc(' ', stream);
    put_code(stream, signal, is_sequence);
    fputc('\n', stream);
}

/* Writes what has changed by the end of the cycle. */
static void show_cycle(struct picture *picture)
{
    struct picture_change *state = picture->state;
    bool is_dated = false;

    for (int i = 0; i < signal_count(picture); i++) {
        bool is_new = state->count[i] != state->shown[i];
        bool is_other = is_stage(i) && state->count[i] > 0 &&
                        (state->sequence[i] != state->shown_sequence[i] || state->shown[i] == 0);
        if (!is_new && !is_other)
            continue;
        if (!is_dated)
            fprintf(picture->stream, "#%" PRIu64 "\n", picture->cycle);
        is_dated = true;
        if (is_stage(i) && (state->count[i] > 0) != (state->shown[i] > 0)) {
            fputc(state->count[i] > 0 ? '1' : '0', picture->stream);
            put_code(picture->stream, i, false);
            fputc('\n', picture->stream);
        }
        if (is_other)
            put_binary(picture->stream, state->sequence[i], i, true);
        if (!is_stage(i))
            put_binary(picture->stream, (uint64_t)state->count[i], i, false);
        state->shown[i] = state->count[i];
        state->shown_sequence[i] = state->sequence[i];
    }
}

static void flush_before(struct picture *picture, uint64_t cycle)
{
    struct picture_change *state = picture->state;
    struct picture_event event;

    while (state && picture_take(picture, cycle, &event)) {
        if (event.cycle > picture->cycle) {
            show_cycle(picture);
            picture->cycle = event.cycle;
        }
        state->count[event.stage] += atoi(event.text);
        if (*event.text == '+')
            state->sequence[event.stage] = event.sequence;
        free(event.text);
    }
}

/* An instruction is in a stage from one cycle on up to the one before another. */
static void put(struct picture *picture, const struct pipeline_record *record, int stage,
                uint64_t from, uint64_t to)
{
    if (from == PIPELINE_NEVER || to == PIPELINE_NEVER || from >= to)
        return;
    picture_put(picture, from, stage, record->sequence, "+1");
    picture_put(picture, to, stage, record->sequence, "-1");
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    uint64_t leave = record->q != PIPELINE_NEVER ? record->q : record->x;
    uint64_t passed = record->s != PIPELINE_NEVER   ? record->s
                      : record->m != PIPELINE_NEVER ? record->m
                                                    : record->e;

    uint64_t first = picture_first(record);
    flush_before(picture, first);
    put(picture, record, STAGE_F, record->f, record->d);
    put(picture, record, STAGE_D, record->d, leave);
    put(picture, record, STAGE_X, record->x, record->x + (record->x != PIPELINE_NEVER));
    put(picture, record, COUNT_Q, record->q, record->p);
    put(picture, record, STAGE_P, record->p, passed);
    put(picture, record, COUNT_S, record->s, record->m);
    if (record->unit >= 0)
        put(picture, record, COUNT_M + record->unit, record->m, record->e);
    put(picture, record, STAGE_C, record->c, record->c + 1);
    if (picture->program.threads)
        put(picture, record, THREAD + 2 * (int)record->thread, first, first + 1);
}

static void end(struct picture *picture)
{
    flush_before(picture, PIPELINE_NEVER);
    if (picture->state)
        show_cycle(picture);
}

static void bubble(struct picture *picture, const struct pipeline_record *record)
{
    int signal = THREAD + 2 * (int)record->thread + 1;
    char text[16];

    flush_before(picture, record->x);
    snprintf(text, sizeof text, "%d", (int)record->stall + 1);
    picture_put(picture, record->x, signal, 0, text);
    snprintf(text, sizeof text, "-%d", (int)record->stall + 1);
    picture_put(picture, record->x + 1, signal, 0, text);
}

const struct picture_writer picture_vcd = {"vcd", begin, instruction, end, bubble};
