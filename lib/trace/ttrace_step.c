/* Logs of instructions (ttrace_write.h). A step is an instruction of which the kinds of effects are
 * known, so its words in a log are those of a short record. The sites of steps are looked up once
 * in a segment. After that, a record costs little more than its values. */
#include "lib/trace/ttrace_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FACTS = 4 /* most effects of a step */ };

/* What the site of a step is made from. */
struct step_facts {
    uint64_t pc, word;
    uint64_t shapes[FACTS];
    uint8_t length, privilege, flags;
    uint8_t count, words; /* of effects */
};

static void *resize(void *array, size_t count, size_t size)
{
    array = reallocarray(array, count, size);
    if (!array) {
        fputs("error: out of memory while the trace was written\n", stderr);
        exit(1);
    }
    return array;
}

uint32_t ttrace_steps_add(struct ttrace_writer *writer, unsigned count)
{
    uint32_t first = writer->step_count ? writer->step_count : 1;

    writer->step_count = first + count + 1;
    if (writer->step_count > writer->step_capacity) {
        writer->step_capacity = 2 * writer->step_count;
        writer->steps = resize(writer->steps, writer->step_capacity, sizeof *writer->steps);
        writer->facts = resize(writer->facts, writer->step_capacity, sizeof *writer->facts);
    }
    for (unsigned i = 0; i <= count; i++)
        writer->steps[first + i] = (struct step){.remaining = (uint8_t)(count - i)};
    return first;
}

void ttrace_steps_forget(struct ttrace_writer *writer)
{
    writer->step_count = 0;
}

/* Is the effect one that a log has? */
static bool is_logged(uint64_t shape)
{
    unsigned kind = ttrace_shape_kind(shape);

    return kind == EFFECT_REGISTER || kind == EFFECT_LOAD || kind == EFFECT_STORE;
}

bool ttrace_step_learn(struct ttrace_writer *writer, uint32_t place)
{
    const struct site *site = writer->last;

    if (!site || site->is_trap || site->form == FORM_LONG)
        return false;
    unsigned count = site->count;
    /* The flags that an instruction may raise are not its own effect: ttrace_writer_add_raised. */
    if (count && ttrace_shape_kind(site->shapes[count - 1]) == EFFECT_CSR)
        count--;
    if (count > FACTS)
        return false;
    unsigned words = count;
    for (unsigned i = 0; i < count; i++) {
        if (!is_logged(site->shapes[i]))
            return false;
        words += ttrace_has_address(ttrace_shape_kind(site->shapes[i]));
    }
    struct step_facts *facts = &writer->facts[place];
    *facts = (struct step_facts){.pc = site->pc,
                                 .word = site->word,
                                 .length = (uint8_t)site->key,
                                 .privilege = (uint8_t)(site->key >> 8),
                                 .flags = (uint8_t)(site->key >> 16),
                                 .count = (uint8_t)count,
                                 .words = (uint8_t)words};
    memcpy(facts->shapes, site->shapes, count * sizeof *facts->shapes);
    return true;
}

/* Adds the record of a step by its effects. The words are those of the log, and `csr` is one more
 * effect or NULL. Returns the end of the words. */
static const uint64_t *add_record(struct ttrace_writer *writer, uint64_t sequence, uint32_t place,
                                  const uint64_t *words, const struct effect *csr)
{
    const struct step_facts *facts = &writer->facts[place];
    struct effect effects[FACTS + 1];
    struct recorder recorder = {.effects = effects, .count = facts->count, .capacity = FACTS + 1};

    recorder_clear(&recorder);
    for (unsigned i = 0; i < facts->count; i++) {
        struct effect *effect = recorder_add_shape(&recorder, facts->shapes[i]);
        if (ttrace_has_address(effect->kind)) {
            effect->address = *words++;
            effect->length = effect->size;
        }
        effect->value = *words++;
    }
    if (csr)
        effects[recorder.count++] = *csr;
    const struct ttrace_record record = {
        .sequence = sequence,
        .pc = facts->pc,
        .word = facts->word,
        .length = facts->length,
        .privilege = facts->privilege,
        .flags = facts->flags,
        .recorder = &recorder,
    };
    ttrace_writer_add(writer, &record);
    return words;
}

void ttrace_writer_add_raised(struct ttrace_writer *writer, uint64_t sequence, uint32_t place,
                              const uint64_t *end, unsigned number, uint64_t value)
{
    const struct effect csr = {
        .kind = EFFECT_CSR, .number = number, .dimension = -1, .value = value};

    add_record(writer, sequence, place, end - writer->facts[place].words, &csr);
}

/* Adds the records of steps whose sites are known in the segment, up to `end`. Returns the first
 * step that is not one of them. */
static struct step *add_known(struct ttrace_writer *writer, struct step *step,
                              const struct step *end, const uint64_t **words)
{
    struct cursor cursor = writer->cursor;
    const uint64_t *at = *words;
    uint64_t first = record_when(writer), when = first;
    uint32_t segment = writer->segment;
    struct site *last = writer->last;

    for (; step < end && step->segment == segment; step++) {
        struct site *site = step->site;
        if (__builtin_expect(last->next != site, 0)) {
            writer->last = last;
            ttrace_put_order(writer, site, when - first + writer->count);
        }
        last = site;
        at = put_words(writer, &cursor, site, at, when++);
    }
    writer->last = last;
    writer->sequence += when - first;
    writer->count += when - first;
    writer->cursor = cursor;
    *words = at;
    return step;
}

/* Adds the record of a step whose site is not known in the segment. */
static const uint64_t *add_unknown(struct ttrace_writer *writer, uint64_t sequence, uint32_t place,
                                   const uint64_t *words)
{
    words = add_record(writer, sequence, place, words, NULL);
    if (writer->last) {
        writer->steps[place].site = writer->last;
        writer->steps[place].segment = writer->segment;
    }
    return words;
}

/* Adds the records of `count` steps. */
static const uint64_t *add_steps(struct ttrace_writer *writer, uint64_t sequence, uint32_t place,
                                 uint64_t count, const uint64_t *words)
{
    while (count) {
        struct step *first = &writer->steps[place];
        uint64_t room = TTRACE_SEGMENT - writer->count, before = writer->count;
        bool goes_on = writer->count && sequence == writer->sequence + 1 &&
                       writer->turns.thread == 0 && writer->turns.workers == 0;
        uint64_t done = 0;
        if (goes_on)
            done =
                (uint64_t)(add_known(writer, first, first + (count < room ? count : room), &words) -
                           first);
        if (before / CHECKED != writer->count / CHECKED)
            ttrace_check_segment(writer);
        if (done < count && done < room) {
            words = add_unknown(writer, sequence + done, place + (uint32_t)done, words);
            done++;
        }
        sequence += done;
        place += (uint32_t)done;
        count -= done;
    }
    return words;
}

void ttrace_writer_add_log(struct ttrace_writer *writer, uint64_t sequence, uint64_t count,
                           const uint64_t *log)
{
    while (count) {
        uint32_t place = (uint32_t)*log++;
        uint64_t steps = writer->steps[place].remaining;
        if (steps > count)
            steps = count;
        log = add_steps(writer, sequence, place, steps, log);
        sequence += steps;
        count -= steps;
    }
}
