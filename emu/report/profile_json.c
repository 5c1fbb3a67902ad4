/* The profile as one JSON object on one line: totals, functions, lines, instructions and calls. */
#include "emu/report/profile_report.h"
#include "lib/quote.h"
#include <inttypes.h>

static void put_string(FILE *stream, const char *key, const char *text)
{
    fprintf(stream, "\"%s\":", key);
    quote_json_to(stream, text);
    fputc(',', stream);
}

/* Addresses are strings in hexadecimal, as in traces. */
static void put_address(FILE *stream, const char *key, uint64_t address)
{
    fprintf(stream, "\"%s\":\"0x%" PRIx64 "\",", key, address);
}

static void put_place(FILE *stream, const char *file, unsigned line)
{
    if (!file || !line)
        return;
    put_string(stream, "file", file);
    fprintf(stream, "\"line\":%u,", line);
}

/* Ends the object that the members before are in. */
static void put_cost(const struct profile_view *view, const struct profile_cost *cost, FILE *stream)
{
    fprintf(stream, "\"instructions\":%" PRIu64, cost->instructions);
    if (view->is_timed)
        fprintf(stream, ",\"cycles\":%" PRIu64, cost->cycles);
    fprintf(stream,
            ",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64 ",\"multiply_adds\":%" PRIu64
            "}",
            cost->read, cost->written, cost->products);
}

static void put_functions(const struct profile_view *view, FILE *stream)
{
    fputs(",\"functions\":[", stream);
    for (size_t i = 0; i < view->function_count; i++) {
        const struct view_function *function = &view->functions[i];
        fputs(i ? ",{" : "{", stream);
        put_string(stream, "name", function->name);
        put_address(stream, "address", function->address);
        put_place(stream, function->file, function->line);
        fprintf(stream, "\"calls\":%" PRIu64 ",\"self\":{", function->calls);
        put_cost(view, &function->self, stream);
        fputs(",\"total\":{", stream);
        put_cost(view, &function->total, stream);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void put_lines(const struct profile_view *view, FILE *stream)
{
    const char *before = "";

    fputs(",\"lines\":[", stream);
    for (size_t i = 0; i < view->line_count; i++) {
        const struct view_line *line = &view->lines[i];
        if (!line->file)
            continue;
        fprintf(stream, "%s{", before);
        put_place(stream, line->file, line->line);
        put_string(stream, "function", view->functions[line->function].name);
        put_cost(view, &line->cost, stream);
        before = ",";
    }
    fputc(']', stream);
}

static void put_places(const struct profile_view *view, FILE *stream)
{
    fputs(",\"places\":[", stream);
    for (size_t i = 0; i < view->place_count; i++) {
        const struct view_place *at = &view->places[i];
        fputs(i ? ",{" : "{", stream);
        put_address(stream, "address", at->address);
        put_string(stream, "function", view->functions[at->function].name);
        put_place(stream, at->file, at->line);
        fprintf(stream, "\"turned\":%" PRIu64 ",", at->place->turned);
        put_cost(view, &at->place->cost, stream);
    }
    fputc(']', stream);
}

static void put_calls(const struct profile_view *view, FILE *stream)
{
    fputs(",\"calls\":[", stream);
    for (size_t i = 0; i < view->call_count; i++) {
        const struct view_call *call = &view->calls[i];
        fputs(i ? ",{" : "{", stream);
        put_address(stream, "site", call->site);
        put_string(stream, "caller", view->functions[call->caller].name);
        put_string(stream, "callee", view->functions[call->callee].name);
        fprintf(stream, "\"calls\":%" PRIu64 ",\"total\":{", call->calls);
        put_cost(view, &call->total, stream);
        fputc('}', stream);
    }
    fputc(']', stream);
}

void profile_write_json(const struct profile_view *view, FILE *stream)
{
    fputs("{\"total\":{", stream);
    put_cost(view, &view->all, stream);
    put_functions(view, stream);
    put_lines(view, stream);
    put_places(view, stream);
    put_calls(view, stream);
    fputs("}\n", stream);
}
