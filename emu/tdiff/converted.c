/* See converted.h. The writer of the format leaves the lines in its buffer, and the buffer is
 * filled when all its lines have been read. */
#include "emu/tdiff/converted.h"
#include "emu/trace/replay.h"
#include "isa_ids.h"

#include <string.h>

enum { ENOUGH = 1 << 16 /* bytes of lines that are made at once */ };

struct converted {
    struct diag *diag;
    enum trace_format format;
    struct ttrace trace;
    struct elf_file elf;
    struct symbolizer symbols;
    bool has_program;
    struct trace output;
    bool is_open; /* the output */
    size_t taken; /* bytes of its buffer that were read */
    struct ttrace_decoder decoder;
    size_t segment; /* next one to decode */
    bool is_loaded; /* the one before it has records left */
};

static bool open_output(struct converted *converted)
{
    const struct trace_options options = {.format = converted->format, .is_kept = true};

    converted->is_open =
        replay_open(&converted->output, converted->diag, &options, &converted->trace,
                    converted->has_program ? &converted->elf : NULL,
                    converted->has_program ? &converted->symbols : NULL);
    return converted->is_open;
}

static void close_output(struct converted *converted)
{
    if (converted->is_open)
        trace_close(&converted->output);
    converted->is_open = false;
}

/* Opens the program that the trace has in it. */
static bool open_program(struct converted *converted, struct arena *arena)
{
    const struct ttrace *trace = &converted->trace;

    converted->has_program = trace->program_length > 0;
    if (!converted->has_program)
        return true;
    if (!elf_open(&converted->elf, arena, converted->diag, trace->file.name, trace->program,
                  trace->program_length))
        return false;
    elf_move(&converted->elf, trace->moved);
    symbolizer_init(&converted->symbols, &converted->elf);
    return true;
}

struct converted *converted_open(struct arena *arena, struct diag *diag, const char *name,
                                 enum trace_format format)
{
    struct converted *converted = arena_new(arena, struct converted);

    converted->diag = diag;
    converted->format = format;
    if (!ttrace_open(&converted->trace, arena, diag, name) || !open_program(converted, arena) ||
        !open_output(converted))
        return NULL;
    if (!converted->trace.is_complete)
        diag_warning(diag, &(struct position){.name = converted->trace.file.name},
                     "the run was interrupted, or is still writing: found %llu records",
                     (unsigned long long)converted->trace.record_count);
    return converted;
}

/* Appends the line of the next record to the buffer. Returns false at the end, or after a
 * diagnostic. */
static bool make_line(struct converted *converted)
{
    const struct ttrace *trace = &converted->trace;
    struct ttrace_record record;

    while (!converted->is_loaded || !ttrace_next(&converted->decoder, &record)) {
        if (converted->decoder.failed || converted->segment == trace->segment_count ||
            !ttrace_load(&converted->decoder, &converted->trace,
                         &trace->segments[converted->segment]))
            return false;
        converted->segment++;
        converted->is_loaded = true;
    }
    replay_record(&converted->output, &record);
    return true;
}

bool converted_read(struct converted *converted, char *to, size_t room, size_t *got)
{
    struct text *lines = &converted->output.buffer;

    if (converted->taken == lines->length) {
        text_clear(lines);
        converted->taken = 0;
        while (lines->length < ENOUGH && make_line(converted))
            ;
        if (converted->decoder.failed)
            return false;
    }
    *got = lines->length - converted->taken < room ? lines->length - converted->taken : room;
    if (*got)
        memcpy(to, lines->bytes + converted->taken, *got);
    converted->taken += *got;
    return true;
}

bool converted_rewind(struct converted *converted)
{
    close_output(converted);
    converted->taken = converted->segment = 0;
    converted->is_loaded = false;
    return open_output(converted);
}

struct diag_file converted_program(const struct converted *converted)
{
    return (struct diag_file){.name = converted->trace.file.name,
                              .bytes = converted->trace.program,
                              .length = converted->trace.program_length};
}

void converted_close(struct converted *converted)
{
    close_output(converted);
    ttrace_decoder_free(&converted->decoder);
}
