/* Finds the lines that led to a difference: the last lines before it that wrote the differing
 * places, and the lines just before it. For that, both traces are read once more from the beginning
 * to the difference. */
#include "emu/tdiff/past.h"

#include <stdlib.h>
#include <string.h>

void findings_add(struct findings *findings, const struct change *place,
                  const struct change *counterpart)
{
    if (findings->count == findings->capacity) {
        findings->capacity = findings->capacity ? 2 * findings->capacity : 16;
        findings->list = reallocarray(findings->list, findings->capacity, sizeof *findings->list);
        if (!findings->list)
            end_without_memory();
    }
    findings->list[findings->count++] =
        (struct finding){.place = *place, .counterpart = counterpart};
}

bool finding_has_writer(const struct finding *finding)
{
    return finding->place.kind != CHANGE_TRAP;
}

static bool overlaps(uint64_t a, uint64_t a_length, uint64_t b, uint64_t b_length)
{
    return a - b < (b_length ? b_length : 1) || b - a < (a_length ? a_length : 1);
}

/* Does `change` write the place of `place`? */
static bool writes(const struct change *change, const struct change *place)
{
    if (change_is_named(place->kind))
        return change_same_place(change, place);
    return (change->kind == CHANGE_STORE || change->kind == CHANGE_RANGE_WRITE) &&
           overlaps(change->address, change->length, place->address, place->length);
}

static bool record_writes(const struct record *record, const struct change *place)
{
    for (size_t i = 0; i < record->count; i++)
        if (writes(&record->changes[i], place))
            return true;
    return false;
}

/* Replaces the kept line by a copy of this one. */
static void keep(struct trace_line *kept, const struct trace_line *line)
{
    char *bytes = realloc((char *)kept->bytes, line->length + 1);

    if (!bytes)
        end_without_memory();
    memcpy(bytes, line->bytes, line->length);
    *kept = (struct trace_line){line->number, bytes, line->length};
}

static size_t count_wanted(const struct past *past)
{
    size_t count = 0;

    for (unsigned group = 0; group < FINDING_GROUPS; group++)
        for (size_t i = 0; i < past->groups[group].count; i++)
            count += finding_has_writer(&past->groups[group].list[i]);
    return count;
}

/* Notes that the record of trace `which` is the last one so far that wrote its places. That of
 * another thread writes only memory. */
static void note_writes(struct past *past, unsigned which, const struct record *record,
                        bool is_other)
{
    for (unsigned group = 0; group < FINDING_GROUPS; group++) {
        for (size_t i = 0; i < past->groups[group].count; i++) {
            struct finding *finding = &past->groups[group].list[i];
            if (is_other && change_is_named(finding->place.kind))
                continue;
            if (finding_has_writer(finding) && record_writes(record, &finding->place))
                keep(&finding->writers[which], &record->line);
        }
    }
}

/* Keeps the line, and drops the first one when there are too many. */
static void note_context(struct tdiff *tdiff, struct past *past, size_t stop,
                         const struct trace_line *line)
{
    if ((!tdiff->is_by_thread && stop - line->number > tdiff->context) || tdiff->context == 0)
        return;
    if (!past->context)
        past->context = new_array(tdiff->context, sizeof *past->context);
    if (past->context_count == tdiff->context) {
        const struct trace_line first = past->context[0];
        memmove(past->context, past->context + 1, --past->context_count * sizeof *past->context);
        past->context[past->context_count] = first;
    }
    keep(&past->context[past->context_count++], line);
}

/* Reads the lines of trace `which` before line `stop`. */
static bool read_up_to(struct tdiff *tdiff, struct past *past, unsigned which, size_t stop,
                       struct record *record)
{
    struct trace_input *input = &tdiff->inputs[which];
    struct position whole = {.name = input->stream.name};
    bool is_wanted = count_wanted(past) > 0;
    struct trace_line line;
    bool skip;

    if (!trace_input_rewind(tdiff, input))
        return false;
    while (input->line + 1 < stop) {
        enum read_result result = trace_input_line(tdiff, input, &line);
        if (result == READ_END)
            diag_error(&tdiff->diag, &whole, "became shorter during the comparison");
        if (result != READ_RECORD)
            return false;
        bool is_other = input->thread && !trace_input_has_thread(input, &line);
        if (which == past->context_of && !is_other)
            note_context(tdiff, past, stop, &line);
        if (!is_wanted)
            continue;
        if (!trace_input_parse(tdiff, input, &line, record, &skip))
            return false;
        if (!skip)
            note_writes(past, which, record, is_other);
    }
    return true;
}

bool past_read(struct tdiff *tdiff, struct past *past, struct record *const *records)
{
    struct record record = {0};
    bool good = true;

    past->context_of = records[0] ? 0 : 1;
    for (unsigned which = 0; good && which < 2; which++)
        if (which == past->context_of || count_wanted(past))
            good = read_up_to(tdiff, past, which, records[which]->line.number, &record);
    free(record.changes);
    return good;
}

void past_free(struct past *past)
{
    for (unsigned group = 0; group < FINDING_GROUPS; group++) {
        for (size_t i = 0; i < past->groups[group].count; i++)
            for (unsigned which = 0; which < 2; which++)
                free((char *)past->groups[group].list[i].writers[which].bytes);
        free(past->groups[group].list);
    }
    for (size_t i = 0; i < past->context_count; i++)
        free((char *)past->context[i].bytes);
    free(past->context);
}
