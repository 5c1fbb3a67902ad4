/* The profile in the format of Callgrind, which KCachegrind and callgrind_annotate read. Positions
 * are addresses in the file of the program, and lines. A name is written once, and is its number
 * afterwards.
 *
 * Source: Valgrind's manual, "Callgrind Format Specification". */
#include "emu/report/profile_report.h"
#include <inttypes.h>
#include <string.h>

/* A file of the sources, by the order in which they are written. */
struct writer {
    const struct profile_view *view;
    FILE *stream;
    struct map files; /* to the number + 1 */
    size_t file_count;
    bool *is_named; /* by function */
};

static void put_file(struct writer *writer, const char *key, const char *file)
{
    struct text name = TEXT_INIT;

    text_append_visible(&name, file ? file : "???");
    size_t number = (size_t)map_get(&writer->files, name.bytes);
    if (number) {
        fprintf(writer->stream, "%s=(%zu)\n", key, number);
    } else {
        map_set(&writer->files, name.bytes, (void *)++writer->file_count);
        fprintf(writer->stream, "%s=(%zu) %s\n", key, writer->file_count, name.bytes);
    }
    text_free(&name);
}

static void put_function(struct writer *writer, const char *key, size_t function)
{
    fprintf(writer->stream, "%s=(%zu)", key, function + 1);
    if (!writer->is_named[function])
        fprintf(writer->stream, " %s", writer->view->functions[function].name);
    writer->is_named[function] = true;
    fputc('\n', writer->stream);
}

static void put_cost(const struct writer *writer, uint64_t address, unsigned line,
                     const struct profile_cost *cost)
{
    fprintf(writer->stream, "0x%" PRIx64 " %u %" PRIu64, address - writer->view->program->moved,
            line, cost->instructions);
    if (writer->view->is_timed)
        fprintf(writer->stream, " %" PRIu64, cost->cycles);
    fprintf(writer->stream, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", cost->read, cost->written,
            cost->products);
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Writes the calls of the function at or before the address, from *next on. */
static void put_calls(struct writer *writer, size_t function, const struct view_place *at,
                      size_t *next)
{
    const struct profile_view *view = writer->view;

    for (; *next < view->call_count && view->calls[*next].caller == function &&
           (!at || view->calls[*next].site <= at->address);
         ++*next) {
        const struct view_call *call = &view->calls[*next];
        const struct view_function *callee = &view->functions[call->callee];
        struct debug_place line = profile_view_line(view, call->site);
        put_file(writer, "cfi", callee->file);
        put_function(writer, "cfn", call->callee);
        fprintf(writer->stream, "calls=%" PRIu64 " 0x%" PRIx64 " %u\n", call->calls,
                callee->address - view->program->moved, callee->line);
        put_cost(writer, call->site, line.line, &call->total);
    }
}

static void put_body(struct writer *writer, size_t index, size_t *next)
{
    const struct view_function *function = &writer->view->functions[index];
    const char *file = function->file;

    fputc('\n', writer->stream);
    put_file(writer, "fl", file);
    put_function(writer, "fn", index);
    for (size_t i = 0; i < function->places_in; i++) {
        const struct view_place *at = &writer->view->places[function->places + i];
        if (!is_same(at->file, file))
            put_file(writer, is_same(at->file, function->file) ? "fe" : "fi", at->file);
        file = at->file;
        put_cost(writer, at->address, at->line, &at->place->cost);
        put_calls(writer, index, at, next);
    }
    put_calls(writer, index, NULL, next);
}

void profile_write_callgrind(const struct profile_view *view, FILE *stream)
{
    struct writer writer = {
        .view = view,
        .stream = stream,
        .is_named = arena_array(view->profile->arena, view->function_count + 1, sizeof(bool))};
    struct text name = TEXT_INIT;
    size_t next = 0;

    map_init(&writer.files, view->profile->arena);
    text_append_visible(&name, view->program->name);
    fprintf(stream,
            "# callgrind format\nversion: 1\ncreator: temu\ncmd: %s\ndesc: Code: %016" PRIx64
            "\npositions: instr line\n"
            "event: Ir : Instructions\nevent: Cycles : Cycles\nevent: Br : Bytes read\n"
            "event: Bw : Bytes written\nevent: Ma : Multiply-adds\nevents: Ir%s Br Bw Ma\n",
            name.bytes, elf_code_digest(&view->program->file), view->is_timed ? " Cycles" : "");
    fprintf(stream, "summary: %" PRIu64, view->all.instructions);
    if (view->is_timed)
        fprintf(stream, " %" PRIu64, view->all.cycles);
    fprintf(stream, " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n\nob=(1) %s\n", view->all.read,
            view->all.written, view->all.products, name.bytes);
    for (size_t i = 0; i < view->function_count; i++)
        put_body(&writer, i, &next);
    text_free(&name);
}
