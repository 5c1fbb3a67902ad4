/* The report about two lossless traces: each difference with its elements, source lines and what it
 * comes from; and with --all a summary by function. */
#include "emu/tdiff/lossless.h"
#include "lib/trace/thread_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRAS = 4 }; /* most instructions that are shown of code that only one program has */

static void put(struct text *text)
{
    puts(text->bytes ? text->bytes : "");
    text_free(text);
}

/* Describes the instruction of a record, and its source line, which is empty if it is unknown. */
static void describe(struct lossless *walk, unsigned which, uint64_t number, struct text *where,
                     struct text *source)
{
    struct side *side = &walk->sides[which];
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;

    text_append(where, "");
    text_append(source, "");
    if (side_record(side, &decoder, number, &record)) {
        side_append_where(side, where, &record);
        side_append_source(side, source, record.pc);
    }
    ttrace_decoder_free(&decoder);
}

/* Prints the instruction of a record, and its source line below. */
static void print_record(struct lossless *walk, unsigned which, uint64_t number, const char *before)
{
    struct text where = TEXT_INIT, source = TEXT_INIT;

    describe(walk, which, number, &where, &source);
    printf("%s%s\n", before, where.bytes);
    if (source.length)
        printf("      | %s\n", source.bytes);
    text_free(&where);
    text_free(&source);
}

static void print_lanes(const struct lossless *walk, const struct difference *difference)
{
    const char *a = walk->sides[0].name, *b = walk->sides[1].name;

    if (difference->different_count) {
        printf("  %" PRIu64 " of %" PRIu64 " elements differ", difference->different_count,
               difference->element_count);
        if (difference->most_ulps)
            printf(", by up to %" PRIu64 " ulps", difference->most_ulps);
        putchar('\n');
    }
    for (unsigned i = 0; i < difference->lane_count; i++) {
        const struct lane *lane = &difference->lanes[i];
        printf("    %s: %s in %s, %s in %s%s%s\n", lane->place, lane->values[0], a, lane->values[1],
               b, *lane->note ? ", " : "", lane->note);
    }
    if (difference->has_more)
        puts("    ...");
}

/* ---- causes ---- */

void explain_event(struct lossless *walk, struct text *text, const struct event *event)
{
    unsigned which = event->numbers[0] == NO_NUMBER ? 1 : 0;
    struct side *side = &walk->sides[which];
    bool both = event->numbers[0] != NO_NUMBER && event->numbers[1] != NO_NUMBER;
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    struct text source = TEXT_INIT;

    if (event->numbers[which] == NO_NUMBER) {
        text_append(text, "the data of the programs, ");
        data_append(walk, text, event);
    } else if (side_record(side, &decoder, event->numbers[which], &record) &&
               record.flags & TTRACE_START) {
        text_append(text, "the start of the program");
    } else if (decoder.segment) {
        text_format(text, "instruction %" PRIu64 "%s%s, ", record.sequence,
                    both ? "" : ", only in ", both ? "" : side->name);
        side_append_where(side, text, &record);
        if (side_append_source(side, &source, record.pc))
            text_format(text, " | %s", source.bytes);
    }
    text_free(&source);
    ttrace_decoder_free(&decoder);
}

/* Prints the differences that this one follows from, back to the first. */
static void print_causes(struct lossless *walk, uint32_t number)
{
    uint32_t chain[CAUSES];
    bool is_cut;
    unsigned count = event_chain(walk, number, chain, &is_cut);

    for (unsigned i = 0; i < count; i++) {
        struct text text = TEXT_INIT;
        if (i == 0)
            puts("  it follows from differences before:");
        if (is_cut && i + 1 == count)
            puts("    ...");
        text_append(&text, "    from ");
        explain_event(walk, &text, &walk->events[chain[i]]);
        put(&text);
    }
}

/* Prints who wrote what the instruction reads, although it is the same in both. */
static void print_sources(struct lossless *walk, const struct difference *difference)
{
    for (unsigned i = 0; i < difference->source_count; i++) {
        const struct origin *source = &difference->sources[i];
        const struct event event = {.numbers = {source->writers[0], source->writers[1]}};
        struct text text = TEXT_INIT;
        if (i == 0)
            puts("  it reads, the same in both:");
        text_format(&text, "    %s from ", source->place);
        explain_event(walk, &text, &event);
        put(&text);
    }
}

/* ---- differences ---- */

static const char *times(struct lossless *walk, uint64_t count)
{
    return count > 1 ? arena_format(&walk->tdiff->arena, ", %" PRIu64 " times", count) : "";
}

static void print_numbers(struct lossless *walk, const struct difference *difference)
{
    const char *a = walk->sides[0].name, *b = walk->sides[1].name;

    if (difference->numbers[1] == NO_NUMBER)
        printf(" at instruction %" PRIu64 " of %s", difference->sequence[0], a);
    else if (difference->numbers[0] == NO_NUMBER)
        printf(" at instruction %" PRIu64 " of %s", difference->sequence[1], b);
    else if (difference->sequence[0] == difference->sequence[1])
        printf(" at instruction %" PRIu64, difference->sequence[0]);
    else
        printf(" at instruction %" PRIu64 " of %s, %" PRIu64 " of %s", difference->sequence[0], a,
               difference->sequence[1], b);
    printf("%s:\n", times(walk, difference->count));
}

/* Prints the instruction and the source line of both traces, once where they are the same. */
static void print_both(struct lossless *walk, const struct difference *difference)
{
    struct text where[2] = {TEXT_INIT, TEXT_INIT}, source[2] = {TEXT_INIT, TEXT_INIT};

    for (unsigned i = 0; i < 2; i++)
        describe(walk, i, difference->numbers[i], &where[i], &source[i]);
    bool same = strcmp(where[0].bytes, where[1].bytes) == 0;
    bool same_source = strcmp(source[0].bytes, source[1].bytes) == 0;
    for (unsigned i = 0; i < 2; i++) {
        if (!same)
            printf("  in %s: %s\n", walk->sides[i].name, where[i].bytes);
        else if (i == 0)
            printf("  %s\n", where[i].bytes);
        if (source[i].length && (i == 1 || !same_source))
            printf("      | %s\n", source[i].bytes);
        text_free(&where[i]);
    }
    text_free(&source[0]);
    text_free(&source[1]);
}

/* Returns the thread of a record; 0: the trace has only one, or there is no such record. */
static uint32_t thread_of(struct lossless *walk, unsigned which, uint64_t number)
{
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    bool found = side_record(&walk->sides[which], &decoder, number, &record);
    uint32_t thread = found ? record.thread : 0;

    ttrace_decoder_free(&decoder);
    return thread;
}

/* Prints which threads executed the instructions, where that differs. */
static void print_threads(struct lossless *walk, const struct difference *difference)
{
    char names[2][THREAD_NAME_SIZE];
    uint32_t threads[2];

    for (unsigned i = 0; i < 2; i++) {
        threads[i] = thread_of(walk, i, difference->numbers[i]);
        thread_name(names[i], walk->sides[i].trace.workers != 0, threads[i]);
    }
    if (threads[0] && threads[1] && strcmp(names[0], names[1]) != 0)
        printf("  thread: %s in %s, %s in %s; " ADVICE_BY_THREAD "\n", names[0],
               walk->sides[0].name, names[1], walk->sides[1].name);
}

static void print_path(struct lossless *walk, const struct difference *difference)
{
    for (unsigned i = 0; i < 2; i++) {
        struct text text = TEXT_INIT;
        text_format(&text, "  %s goes on with ", walk->sides[i].name);
        print_record(walk, i, difference->numbers[i], text.bytes);
        text_free(&text);
    }
    if (!walk->tdiff->is_by_thread)
        print_threads(walk, difference);
    if (walk->has_parted && difference == walk->differences[walk->count - 1])
        puts("  they do not meet again in the next instructions, and the comparison ends");
    else
        printf("  the traces meet again after %" PRIu64 " instructions of %s and %" PRIu64
               " of %s\n",
               difference->lengths[0], walk->sides[0].name, difference->lengths[1],
               walk->sides[1].name);
}

/* Prints the first instructions that only this program has. */
static void print_extra(struct lossless *walk, unsigned which, const struct difference *difference)
{
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    uint64_t number = difference->numbers[which];

    for (unsigned i = 0; i < EXTRAS && side_record(&walk->sides[which], &decoder, number, &record);
         i++, number++) {
        if (moved_pc(&walk->moved, which, record.pc) != NO_NUMBER)
            break;
        print_record(walk, which, number, "  ");
    }
    ttrace_decoder_free(&decoder);
}

static void print_difference(struct lossless *walk, const struct difference *difference)
{
    unsigned which = difference->numbers[0] == NO_NUMBER ? 1 : 0;
    const char *name = walk->sides[which].name;

    switch (difference->kind) {
    case DIFFERENCE_VALUE:
        fputs("values differ", stdout);
        print_numbers(walk, difference);
        print_both(walk, difference);
        print_lanes(walk, difference);
        break;
    case DIFFERENCE_CODE:
        fputs("the instructions differ", stdout);
        print_numbers(walk, difference);
        print_both(walk, difference);
        print_lanes(walk, difference);
        break;
    case DIFFERENCE_EXTRA:
        printf("only %s has this code,", name);
        print_numbers(walk, difference);
        print_extra(walk, which, difference);
        break;
    case DIFFERENCE_PATH:
        fputs("the paths differ", stdout);
        print_numbers(walk, difference);
        print_path(walk, difference);
        break;
    case DIFFERENCE_END:
        printf("%s ends, and %s goes on at instruction %" PRIu64 "\n", walk->sides[!which].name,
               name, difference->sequence[which]);
        print_record(walk, which, difference->numbers[which], "  ");
        break;
    }
    if (difference->event)
        print_causes(walk, difference->event);
    if (!walk->tdiff->has_all)
        print_sources(walk, difference);
}

/* ---- summary ---- */

static void print_summary(struct lossless *walk)
{
    printf("\n%" PRIu64 " instructions compared; differences by function:\n", walk->compared);
    printf("%12s %12s %12s %12s %8s  function\n", "compared", "different", "only first",
           "only second", "causes");
    for (size_t i = 0; i < walk->functions.count; i++) {
        const struct function *function = walk->functions.entries[i].value;
        if (!function->first && !function->only[0] && !function->only[1])
            continue;
        struct text text = TEXT_INIT;
        text_format(&text, "%12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %8" PRIu64 "  ",
                    function->compared, function->different, function->only[0], function->only[1],
                    function->causes);
        disasm_name(&text, *function->name ? function->name : "(none)");
        put(&text);
    }
}

void print_left_out(uint64_t count, const char *before)
{
    if (count)
        printf("%sleft out: %" PRIu64
               " differences that follow from what the programs were started with, such as their "
               "names\n",
               before, count);
}

void explain(struct lossless *walk)
{
    size_t shown = 0;

    for (size_t i = 0; i < walk->count; i++) {
        const struct difference *difference = walk->differences[i];
        if (shown == walk->tdiff->shown)
            break;
        if (shown++)
            putchar('\n');
        if (!walk->tdiff->has_all)
            fputs(i == 0                                 ? "first difference: "
                  : difference->kind == DIFFERENCE_VALUE ? "first value: "
                                                         : "then: ",
                  stdout);
        print_difference(walk, difference);
    }
    if (shown < walk->count)
        printf("\n%zu more places differ; --places=%zu shows all\n", walk->count - shown,
               walk->count);
    print_left_out(walk->left_out, shown ? "\n" : "");
    if (walk->tdiff->has_all)
        print_summary(walk);
}
