/* The profile as tables for people, and the choice of the format. */
#include "emu/report/profile_report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {[PROFILE_TEXT] = "text",
                                    [PROFILE_CALLGRIND] = "callgrind",
                                    [PROFILE_FOLDED] = "folded",
                                    [PROFILE_SVG] = "svg",
                                    [PROFILE_JSON] = "json"};

bool profile_format_by_name(const char *name, enum profile_format *format)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (enum profile_format)i;
            return true;
        }
    return false;
}

void profile_format_by_ending(const char *file, enum profile_format *format)
{
    const char *ending = strrchr(file, '.');

    if (!ending || !profile_format_by_name(ending + 1, format))
        *format = PROFILE_TEXT;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_totals(const struct profile_view *view, FILE *stream)
{
    const struct profile_cost *all = &view->all;

    fprintf(stream, "instructions    %15" PRIu64 "\n", all->instructions);
    if (view->is_timed)
        fprintf(stream, "cycles          %15" PRIu64 "\n", all->cycles);
    fprintf(stream, "bytes read      %15" PRIu64 "\nbytes written   %15" PRIu64 "\n", all->read,
            all->written);
    fprintf(stream, "multiply-adds   %15" PRIu64 "\n", all->products);
}

static void print_cost(const struct profile_view *view, const struct profile_cost *cost,
                       FILE *stream)
{
    if (view->is_timed)
        fprintf(stream, " %14" PRIu64, cost->instructions);
    fprintf(stream, " %14" PRIu64 " %14" PRIu64 " %14" PRIu64, cost->read, cost->written,
            cost->products);
}

static void print_heads(const struct profile_view *view, FILE *stream)
{
    if (view->is_timed)
        fputs("   instructions", stream);
    fprintf(stream, " %14s %14s %14s", "bytes read", "bytes written", "multiply-adds");
}

static int compare_functions(const void *a, const void *b, void *context)
{
    const struct view_function *left = *(struct view_function *const *)a;
    const struct view_function *right = *(struct view_function *const *)b;
    uint64_t x = profile_view_weight(context, &left->self);
    uint64_t y = profile_view_weight(context, &right->self);

    return x != y ? (x < y ? 1 : -1)
                  : (left->address > right->address) - (left->address < right->address);
}

static void print_functions(const struct profile_view *view, FILE *stream)
{
    uint64_t whole = profile_view_weight(view, &view->all);
    const struct view_function **sorted =
        arena_array(view->profile->arena, view->function_count + 1, sizeof *sorted);

    for (size_t i = 0; i < view->function_count; i++)
        sorted[i] = &view->functions[i];
    qsort_r(sorted, view->function_count, sizeof *sorted, compare_functions, (void *)view);
    fprintf(stream, "by function\n%s %7s %14s %7s",
            view->is_timed ? "        cycles" : "  instructions", "%", "with callees", "%");
    print_heads(view, stream);
    fprintf(stream, " %10s  function\n", "calls");
    for (size_t i = 0; i < view->function_count; i++) {
        const struct view_function *function = sorted[i];
        uint64_t self = profile_view_weight(view, &function->self);
        uint64_t total = profile_view_weight(view, &function->total);
        fprintf(stream, "%14" PRIu64 " %7.2f %14" PRIu64 " %7.2f", self, percent(self, whole),
                total, percent(total, whole));
        print_cost(view, &function->self, stream);
        fprintf(stream, " %10" PRIu64 "  %s\n", function->calls, function->name);
    }
}

static void print_lines(const struct profile_view *view, FILE *stream)
{
    uint64_t whole = profile_view_weight(view, &view->all);
    struct text text = TEXT_INIT;

    if (!view->debug) {
        fputs("by line: the program has no source lines; assemble or compile it with -g\n", stream);
        return;
    }
    fprintf(stream, "by line\n%s %7s", view->is_timed ? "        cycles" : "  instructions", "%");
    print_heads(view, stream);
    fputs("  line\n", stream);
    for (size_t i = 0; i < view->line_count; i++) {
        const struct view_line *line = &view->lines[i];
        uint64_t weight = profile_view_weight(view, &line->cost);
        fprintf(stream, "%14" PRIu64 " %7.2f", weight, percent(weight, whole));
        print_cost(view, &line->cost, stream);
        text_clear(&text);
        text_append_visible(&text, line->file ? line->file : "unknown");
        if (line->line)
            text_format(&text, ":%u", line->line);
        fprintf(stream, "  %s (%s)\n", text.bytes, view->functions[line->function].name);
    }
    text_free(&text);
}

void profile_write(const struct profile_view *view, enum profile_format format, FILE *stream)
{
    switch (format) {
    case PROFILE_TEXT:
        print_totals(view, stream);
        print_functions(view, stream);
        print_lines(view, stream);
        break;
    case PROFILE_CALLGRIND:
        profile_write_callgrind(view, stream);
        break;
    case PROFILE_FOLDED:
        profile_write_folded(view, stream);
        break;
    case PROFILE_SVG:
        profile_write_svg(view, stream);
        break;
    case PROFILE_JSON:
        profile_write_json(view, stream);
        break;
    }
}
