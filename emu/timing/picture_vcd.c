/* The pipeline as a value change dump (IEEE 1364), for waveform viewers: of each stage whether an
 * instruction is in it and which one, the entries of the queues, and the instructions in each unit.
 * A cycle is 1 ns. */
#include "emu/timing/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STAGE_F, STAGE_D, STAGE_X, STAGE_P, STAGE_C, STAGES, COUNT_Q = STAGES, COUNT_S, COUNT_M };
enum { SIGNALS = COUNT_M + PIPELINE_UNITS };

static const char *const names[] = {"F", "D", "X", "P", "C", "Q", "S"};

struct picture_change {
    int64_t count[SIGNALS]; /* instructions in a stage, queue or unit */
    uint64_t sequence[SIGNALS];
    int64_t shown[SIGNALS];
    uint64_t shown_sequence[SIGNALS];
};

/* The identifier of a variable: printable characters from '!' on. */
static char code_of(int signal, bool is_sequence)
{
    return (char)('!' + 2 * signal + is_sequence);
}

static void begin(struct picture *picture)
{
    FILE *stream = picture->stream;

    picture->state = calloc(1, sizeof(struct picture_change));
    fputs("$timescale 1ns $end\n$scope module pipeline $end\n", stream);
    for (int i = 0; i < STAGES; i++)
        fprintf(stream, "$var wire 1 %c %s_valid $end\n$var wire 64 %c %s_sequence $end\n",
                code_of(i, false), names[i], code_of(i, true), names[i]);
    for (int i = COUNT_Q; i < COUNT_M; i++)
        fprintf(stream, "$var wire 16 %c %s_entries $end\n", code_of(i, false), names[i]);
    for (size_t i = 0; i < time_unit_count; i++)
        fprintf(stream, "$var wire 16 %c %s_busy $end\n", code_of(COUNT_M + (int)i, false),
                time_units[i].name);
    fputs("$upscope $end\n$enddefinitions $end\n#0\n$dumpvars\n", stream);
    for (int i = 0; i < STAGES; i++)
        fprintf(stream, "0%c\nbx %c\n", code_of(i, false), code_of(i, true));
    for (int i = COUNT_Q; i < COUNT_M + (int)time_unit_count; i++)
        fprintf(stream, "b0 %c\n", code_of(i, false));
    fputs("$end\n", stream);
}

static void put_binary(FILE *stream, uint64_t value, char code)
{
    int bit = 63;

    while (bit > 0 && !(value >> bit & 1))
        bit--;
    fputc('b', stream);
    for (; bit >= 0; bit--)
        fputc('0' + (int)(value >> bit & 1), stream);
    fprintf(stream, " %c\n", code);
}

/* Writes what has changed by the end of the cycle. */
static void show_cycle(struct picture *picture)
{
    struct picture_change *state = picture->state;
    bool is_dated = false;

    for (int i = 0; i < SIGNALS; i++) {
        bool is_new = state->count[i] != state->shown[i];
        bool is_other = i < STAGES && state->count[i] > 0 &&
                        (state->sequence[i] != state->shown_sequence[i] || state->shown[i] == 0);
        if (!is_new && !is_other)
            continue;
        if (!is_dated)
            fprintf(picture->stream, "#%" PRIu64 "\n", picture->cycle);
        is_dated = true;
        if (i < STAGES && (state->count[i] > 0) != (state->shown[i] > 0))
            fprintf(picture->stream, "%d%c\n", state->count[i] > 0, code_of(i, false));
        if (is_other)
            put_binary(picture->stream, state->sequence[i], code_of(i, true));
        if (i >= STAGES)
            put_binary(picture->stream, (uint64_t)state->count[i], code_of(i, false));
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
        state->count[event.stage] += *event.text == '+' ? 1 : -1;
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
    picture_put(picture, from, stage, record->sequence, "+");
    picture_put(picture, to, stage, record->sequence, "-");
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    uint64_t leave = record->q != PIPELINE_NEVER ? record->q : record->x;
    uint64_t passed = record->s != PIPELINE_NEVER   ? record->s
                      : record->m != PIPELINE_NEVER ? record->m
                                                    : record->e;

    flush_before(picture, record->f);
    put(picture, record, STAGE_F, record->f, record->d);
    put(picture, record, STAGE_D, record->d, leave);
    put(picture, record, STAGE_X, record->x, record->x + (record->x != PIPELINE_NEVER));
    put(picture, record, COUNT_Q, record->q, record->p);
    put(picture, record, STAGE_P, record->p, passed);
    put(picture, record, COUNT_S, record->s, record->m);
    if (record->unit >= 0)
        put(picture, record, COUNT_M + record->unit, record->m, record->e);
    put(picture, record, STAGE_C, record->c, record->c + 1);
}

static void end(struct picture *picture)
{
    flush_before(picture, PIPELINE_NEVER);
    if (picture->state)
        show_cycle(picture);
}

const struct picture_writer picture_vcd = {"vcd", begin, instruction, end};
