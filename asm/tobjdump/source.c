/* Source lines among the instructions (-S, -l), in objdump's form. Up to five lines of context come
 * before the first line of a source file; lines skipped since the last one are printed too. No line
 * is printed twice, except one that the code returns to. This state is kept for all files of a run.
 */
#include "asm/tobjdump/tobjdump.h"

#include "lib/file.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CONTEXT_LINES = 5 };

/* A source file that code refers to. */
struct source_file {
    struct source_file *next;
    const char *name;
    const char **lines; /* NULL: it cannot be read */
    size_t line_count;
    unsigned last, furthest; /* the last line printed, and the largest; 0: none */
};

/* The source lines and places printed so far. */
struct source_state {
    struct source_file *files;
    const char *function;
    unsigned line, discriminator;
};

static void split_lines(struct tobjdump *objdump, struct source_file *file, const char *text,
                        size_t length)
{
    const char *end = text + length;
    size_t capacity = 0;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        file->lines = arena_grow(&objdump->arena, file->lines, file->line_count, &capacity,
                                 sizeof *file->lines);
        file->lines[file->line_count++] = text;
        text = newline ? newline + 1 : end;
    }
}

/* Opens a source file. Only regular files are read, because debug information may name anything. */
static struct source_file *open_source(struct tobjdump *objdump, const char *name)
{
    struct source_state *state = objdump->source;
    struct source_file *file;
    struct diag_file bytes;
    struct stat status;

    for (file = state->files; file; file = file->next)
        if (strcmp(file->name, name) == 0)
            return file;
    file = arena_new(&objdump->arena, struct source_file);
    file->name = arena_string(&objdump->arena, name);
    file->next = state->files;
    state->files = file;
    if (stat(name, &status) == 0 && S_ISREG(status.st_mode) && access(name, R_OK) == 0 &&
        file_read(&objdump->arena, &objdump->diag, NULL, name, &bytes))
        split_lines(objdump, file, bytes.bytes, bytes.length);
    return file;
}

static void print_source_line(struct text *out, const char *line)
{
    text_append_bytes(out, line, strcspn(line, "\r\n"));
    text_append_char(out, '\n');
}

static void print_source(struct tobjdump *objdump, const struct debug_place *place)
{
    struct source_file *file = open_source(objdump, place->file);
    unsigned first = place->line > CONTEXT_LINES ? place->line - CONTEXT_LINES : 1;

    if (!file->lines || place->line == file->last)
        return;
    if (file->furthest >= first)
        first = file->furthest < place->line ? file->furthest + 1 : place->line;
    for (unsigned line = first; line <= place->line && line <= file->line_count; line++)
        print_source_line(&objdump->out, file->lines[line - 1]);
    if (place->line > file->furthest)
        file->furthest = place->line;
    file->last = place->line;
}

static bool is_other_function(const struct source_state *state, const char *function)
{
    return function && (!state->function || strcmp(function, state->function) != 0);
}

/* Prints `function():` and `file:line` if they differ from the last ones. */
static void print_place(struct tobjdump *objdump, const struct debug_place *place)
{
    struct source_state *state = objdump->source;
    struct text *out = &objdump->out;
    bool other = is_other_function(state, place->function);

    if (other) {
        disasm_name(out, place->function);
        text_append(out, "():\n");
    }
    if (place->line == 0 ||
        (!other && place->line == state->line && place->discriminator == state->discriminator))
        return;
    disasm_name(out, place->file ? place->file : "???");
    text_format(out, ":%u", place->line);
    if (place->discriminator)
        text_format(out, " (discriminator %u)", place->discriminator);
    text_append_char(out, '\n');
}

void print_source_of(struct tobjdump *objdump, const struct elf_section *section, uint64_t offset)
{
    struct source_state *state = objdump->source;
    struct debug_place place = debug_find(objdump->debug, section, offset);

    if (!place.function)
        place.function = names_function(&objdump->names, section->header.sh_addr + offset);
    if (objdump->options.line_numbers)
        print_place(objdump, &place);
    if (objdump->options.source && place.file && place.line)
        print_source(objdump, &place);
    if (is_other_function(state, place.function))
        state->function = arena_string(&objdump->arena, place.function);
    if (place.line)
        state->line = place.line;
    state->discriminator = place.discriminator;
}

struct source_state *source_state_new(struct arena *arena)
{
    return arena_new(arena, struct source_state);
}
