/* See picture.h: what the writers of all formats use. */
#include "emu/picture/picture.h"

#include "lib/disasm.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *picture_code(struct picture *picture, const struct picture_site *site)
{
    const struct disasm disasm = {.symbols = picture->program.symbols};

    picture->text.length = 0;
    disasm_instruction(&disasm, &picture->text, site->pc, site->word, site->length);
    text_append_char(&picture->text, '\0');
    for (char *at = picture->text.bytes; *at; at++)
        if (*at == '\t')
            *at = ' ';
    return picture->text.bytes;
}

const char *picture_thread(struct picture *picture, unsigned thread)
{
    return thread_name(picture->thread_name, true, thread + 1);
}

uint64_t picture_first(const struct pipeline_record *record)
{
    return record->f != PIPELINE_NEVER   ? record->f
           : record->q != PIPELINE_NEVER ? record->q
                                         : record->x;
}

const char *picture_cause(struct picture *picture, const struct pipeline_record *record)
{
    struct text *label = &picture->label;

    label->length = 0;
    if (record->stall < STALL_ALL)
        text_append(label, pipeline_stall_names[record->stall]);
    if (record->wait != UNIT_EMPTY) {
        if (label->length)
            text_append(label, ", ");
        text_append(label, pipeline_state_names[record->wait]);
        if (record->blocker != PIPELINE_NEVER)
            text_format(label, " of %" PRIu64, record->blocker);
    }
    text_append_char(label, '\0');
    return label->bytes;
}

static bool is_earlier(const struct picture_event *a, const struct picture_event *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

void picture_put(struct picture *picture, uint64_t cycle, int stage, uint64_t sequence,
                 const char *text)
{
    if (picture->event_count == picture->event_capacity) {
        size_t capacity = picture->event_capacity ? 2 * picture->event_capacity : 64;
        struct picture_event *grown =
            reallocarray(picture->events, capacity, sizeof *picture->events);
        if (!grown) {
            fputs("temu: error: out of memory\n", stderr);
            exit(1);
        }
        picture->events = grown;
        picture->event_capacity = capacity;
    }
    struct picture_event event = {cycle, picture->order++, strdup(text), stage, sequence};
    size_t at = picture->event_count++;
    for (; at > 0 && is_earlier(&event, &picture->events[(at - 1) / 2]); at = (at - 1) / 2)
        picture->events[at] = picture->events[(at - 1) / 2];
    picture->events[at] = event;
}

bool picture_take(struct picture *picture, uint64_t cycle, struct picture_event *event)
{
    struct picture_event *events = picture->events;

    if (picture->event_count == 0 || events[0].cycle >= cycle)
        return false;
    *event = events[0];
    struct picture_event last = events[--picture->event_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= picture->event_count)
            break;
        if (child + 1 < picture->event_count && is_earlier(&events[child + 1], &events[child]))
            child++;
        if (!is_earlier(&events[child], &last))
            break;
        events[at] = events[child];
        at = child;
    }
    events[at] = last;
    return true;
}

void picture_stages(const struct pipeline_record *record,
                    void (*visit)(void *context, const char *stage, uint64_t cycle), void *context)
{
    const struct {
        const char *name;
        uint64_t cycle;
    } stages[] = {{"F", record->f}, {"D", record->d}, {"Q", record->q},
                  {"P", record->p}, {"S", record->s}, {"X", record->x},
                  {"M", record->m}, {"E", record->e}, {"C", record->c}};

    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        /* Nothing is drawn for an instruction that commits as soon as it is finished. */
        bool is_empty = i == 7 && record->e == record->c;
        if (stages[i].cycle != PIPELINE_NEVER && !is_empty)
            visit(context, stages[i].name, stages[i].cycle);
    }
}
