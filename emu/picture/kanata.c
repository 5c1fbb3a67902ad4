/* Kanata 0004, the log that Konata draws. Fields are separated by tabs, commands are in order of
 * the cycles. The id of an instruction counts from 0. An instruction is retired in the cycle after
 * C, because Konata does not draw a stage that ends in the cycle in which it began. */
#include "emu/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>

/* The instruction that is written, and how its lines are collected. */
struct line {
    struct picture *picture;
    uint64_t id;
};

enum { IDS = 4096 /* more than can be between F and C */ };

static void begin(struct picture *picture)
{
    fputs("Kanata\t0004\nC=\t0\n", picture->stream);
}

/* Writes all events before the cycle. */
static void flush_before(struct picture *picture, uint64_t cycle)
{
    struct picture_event event;

    while (picture_take(picture, cycle, &event)) {
        if (event.cycle > picture->cycle) {
            fprintf(picture->stream, "C\t%" PRIu64 "\n", event.cycle - picture->cycle);
            picture->cycle = event.cycle;
        }
        fputs(event.text, picture->stream);
        free(event.text);
    }
}

static void put_stage(void *context, const char *stage, uint64_t cycle)
{
    const struct line *line = context;
    char text[64];

    snprintf(text, sizeof text, "S\t%" PRIu64 "\t0\t%s\n", line->id, stage);
    picture_put(line->picture, cycle, 0, 0, text);
}

static void put_label(struct picture *picture, uint64_t cycle, uint64_t id, const char *cause)
{
    struct text text = TEXT_INIT;

    text_format(&text, "L\t%" PRIu64 "\t1\t%s", id, cause);
    text_append_char(&text, '\n');
    text_append_char(&text, '\0');
    picture_put(picture, cycle, 0, 0, text.bytes);
    text_free(&text);
}

/* Finds the id of an instruction that is shown. All from the first one shown on have ids, unless
 * the picture was turned off between them. */
static bool find_id(const struct picture *picture, uint64_t sequence, uint64_t *id)
{
    const struct pipeline_record *kept = &picture->kept[sequence % IDS];

    *id = kept->f;
    return kept->context && kept->sequence == sequence;
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    const struct picture_site *site = record->context;
    struct line line = {picture, picture->shown};
    uint64_t id = line.id, producer;
    struct text text = TEXT_INIT;

    if (!picture->kept)
        picture->kept = calloc(IDS, sizeof *picture->kept);
    if (!picture->kept)
        return;
    if (picture->shown == 0)
        picture->cycle = 0;
    uint64_t first = picture_first(record);
    flush_before(picture, first);
    picture->kept[record->sequence % IDS] =
        (struct pipeline_record){.sequence = record->sequence, .f = id, .context = record->context};
    text_format(&text, "I\t%" PRIu64 "\t%" PRIu64 "\t%u\nL\t%" PRIu64 "\t0\t", id, record->sequence,
                record->thread, id);
    if (picture->program.threads)
        text_format(&text, "%s ", picture_thread(picture, record->thread));
    text_format(&text, "%" PRIx64 ": %s\n", site->pc, picture_code(picture, site));
    text_append_char(&text, '\0');
    picture_put(picture, first, 0, 0, text.bytes);
    text.length = 0;
    picture_stages(record, put_stage, &line);
    if ((picture->program.threads || record->stall > STALL_WINDOW) && record->stall < STALL_ALL)
        put_label(picture, record->d != PIPELINE_NEVER ? record->d + 1 : first, id,
                  pipeline_stall_names[record->stall]);
    if (record->wait != UNIT_EMPTY)
        put_label(picture, record->p + 1, id, pipeline_state_names[record->wait]);
    for (size_t i = 0; i < record->blocker_count; i++) {
        if (!find_id(picture, record->blockers[i], &producer))
            continue;
        text.length = 0;
        text_format(&text, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", id, producer);
        text_append_char(&text, '\0');
        picture_put(picture, record->m, 0, 0, text.bytes);
    }
    text.length = 0;
    text_format(&text, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", id, id, record->has_trapped);
    text_append_char(&text, '\0');
    picture_put(picture, record->c + 1, 0, 0, text.bytes);
    text_free(&text);
}

static void end(struct picture *picture)
{
    flush_before(picture, PIPELINE_NEVER);
}

/* The label of the next instruction of the thread has the cause. */
static void bubble(struct picture *picture, const struct pipeline_record *record)
{
    (void)picture;
    (void)record;
}

const struct picture_writer picture_kanata = {"kanata", begin, instruction, end, bubble};
