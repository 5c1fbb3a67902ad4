/* Records of a log (log.h). The site of a step is looked up once in a segment. After that, a record
 * costs little more than its values. */
#include "lib/trace/ttrace_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for the sites of all steps. */
static void sync_steps(struct ttrace_writer *writer, const struct log_steps *steps)
{
    if (writer->step_resets != steps->resets)
        writer->step_count = 0;
    writer->step_resets = steps->resets;
    if (writer->step_count >= steps->count)
        return;
    if (writer->step_capacity < steps->count) {
        writer->step_capacity = 2 * steps->count;
        writer->steps = reallocarray(writer->steps, writer->step_capacity, sizeof *writer->steps);
    }
    if (!writer->steps) {
        fputs("error: out of memory while the trace was written\n", stderr);
        exit(1);
    }
    memset(&writer->steps[writer->step_count], 0,
           (steps->count - writer->step_count) * sizeof *writer->steps);
    writer->step_count = steps->count;
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

/* Adds the record of a step whose site is not known in the segment, or of one of several threads.
 */
static const uint64_t *add_unknown(struct ttrace_writer *writer, const struct log_steps *steps,
                                   unsigned thread, uint64_t sequence, uint32_t place,
                                   const uint64_t *words)
{
    const struct log_step *step = &steps->items[place];
    struct effect effects[LOG_EFFECTS];
    struct recorder recorder = {.effects = effects, .capacity = LOG_EFFECTS};
    const struct ttrace_record record = {
        .sequence = sequence,
        .pc = step->pc,
        .word = step->word,
        .length = step->length,
        .privilege = step->privilege,
        .flags = step->flags,
        .recorder = &recorder,
        .thread = thread,
    };

    words = log_take(step, words, &recorder);
    ttrace_writer_add(writer, &record);
    if (writer->last)
        writer->steps[place] = (struct step){writer->last, writer->segment};
    return words;
}

/* Adds the records of `count` steps. */
static const uint64_t *add_steps(struct ttrace_writer *writer, const struct log_steps *steps,
                                 unsigned thread, uint64_t sequence, uint32_t place, uint64_t count,
                                 const uint64_t *words)
{
    while (count) {
        struct step *first = &writer->steps[place];
        uint64_t room = CHECKED - writer->count % CHECKED, before = writer->count, done = 0;
        bool goes_on = writer->count && sequence == writer->sequence + 1 && thread == 0 &&
                       writer->turns.thread == 0 && writer->turns.workers == 0;
        if (goes_on)
            done =
                (uint64_t)(add_known(writer, first, first + (count < room ? count : room), &words) -
                           first);
        if (before / CHECKED != writer->count / CHECKED)
            ttrace_check_segment(writer);
        if (done < count && done < room) {
            words =
                add_unknown(writer, steps, thread, sequence + done, place + (uint32_t)done, words);
            done++;
        }
        sequence += done;
        place += (uint32_t)done;
        count -= done;
    }
    return words;
}

void ttrace_writer_add_log(struct ttrace_writer *writer, const struct log_steps *steps,
                           unsigned thread, uint64_t sequence, uint64_t count, const uint64_t *log)
{
    sync_steps(writer, steps);
    while (count) {
        uint32_t place = (uint32_t)*log++;
        uint64_t run = steps->items[place].remaining;
        if (run > count)
            run = count;
        log = add_steps(writer, steps, thread, sequence, place, run, log);
        sequence += run;
        count -= run;
    }
}
