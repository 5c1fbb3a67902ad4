/* Where a trace goes, what of it is wanted, and what its three formats share. A failure to write
 * ends the trace, is reported once, and leaves no file behind.
 *
 * Lines are collected in a buffer. Into a file that nobody sees before it is complete, whole blocks
 * are written at offsets that are multiples of their size: the host moves pages, where else it
 * would copy parts of them twice. Whoever reads the other end of a pipe gets whole lines. */
#include "emu/trace.h"
#include "emu/trace_write.h"

#include "isa_ids.h"
#include "lib/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIPE_LIMIT = 1 << 16, /* bytes collected for whoever reads along */
    BLOCK_SIZE = 1 << 18, /* into a file; also what stays in a processor's own cache */
};

bool trace_format_by_name(const char *name, enum trace_format *format)
{
    static const char *const names[] = {
        [TRACE_TEXT] = "text", [TRACE_SPIKE] = "spike", [TRACE_JSON] = "json"};

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            *format = (enum trace_format)i;
            return true;
        }
    }
    return false;
}

static size_t longest_name(const struct trace *trace)
{
    const struct isa_register_file *files[] = {trace->x, trace->f};
    size_t longest = 0;

    for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
        for (unsigned number = 0; number < files[i]->count; number++)
            if (strlen(files[i]->names[number]) > longest)
                longest = strlen(files[i]->names[number]);
    for (size_t i = 0; i < isa_csr_count; i++)
        if (strlen(isa_csrs[i].name) > longest)
            longest = strlen(isa_csrs[i].name);
    return longest;
}

bool trace_open(struct trace *trace, struct diag *diag, const struct trace_options *options,
                const struct trace_program *program)
{
    *trace = (struct trace){.options = *options, .diag = diag, .on = !options->has_from};
    if (program)
        trace->program = *program;
    trace->disasm.symbols = trace->program.symbols;
    trace->x = &isa_register_files[ISA_FILE_X];
    trace->f = &isa_register_files[ISA_FILE_F];
    trace->effect_room = EFFECT_ROOM + longest_name(trace);
    if (!options->file) {
        trace->stream = stderr;
    } else {
        if (!output_open(&trace->output, diag, options->file, 0666))
            return false;
        trace->stream = trace->output.stream;
        trace->in_blocks = trace->output.temporary;
    }
    if (options->format == TRACE_TEXT)
        trace_text_header(trace);
    else if (options->format == TRACE_JSON)
        trace_json_header(trace);
    return true;
}

static void fail(struct trace *trace)
{
    struct position whole = {.name = trace->options.file ? trace->options.file : "<stderr>"};

    diag_error(trace->diag, &whole, "cannot write the trace: %s", strerror(errno));
    trace->failed = true;
    if (trace->options.file)
        output_abandon(&trace->output);
    trace->stream = NULL;
}

/* Writes the first `length` bytes of the buffer. */
static void write_out(struct trace *trace, size_t length)
{
    struct text *buffer = &trace->buffer;
    const int descriptor = trace->stream ? fileno(trace->stream) : -1;
    size_t done = 0;

    while (trace->stream && done < length) {
        const ssize_t written = write(descriptor, buffer->bytes + done, length - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            fail(trace);
    }
    if (length)
        memmove(buffer->bytes, buffer->bytes + length, buffer->length - length);
    buffer->length -= length;
}

void trace_flush(struct trace *trace)
{
    if (!trace->in_blocks)
        write_out(trace, trace->buffer.length);
}

bool trace_finished(const struct trace *trace)
{
    const struct trace_options *options = &trace->options;

    return trace->failed || (options->limit && trace->written >= options->limit) ||
           (!trace->on && !options->has_from);
}

void trace_instruction(struct trace *trace, const struct trace_record *record)
{
    const struct trace_options *options = &trace->options;

    if (trace_finished(trace))
        return;
    if (options->has_from && record->pc == options->from)
        trace->on = true;
    if (!trace->on)
        return;
    if (options->has_to && record->pc == options->to)
        trace->on = false;
    switch (options->format) {
    case TRACE_TEXT:
        trace_text_line(trace, record);
        break;
    case TRACE_JSON:
        trace_json_line(trace, record);
        break;
    case TRACE_SPIKE:
        if (!trace_spike_line(trace, record))
            return;
        break;
    }
    trace->written++;
    if (trace->buffer.length >= (trace->in_blocks ? BLOCK_SIZE : PIPE_LIMIT))
        write_out(trace, trace->in_blocks ? trace->buffer.length / BLOCK_SIZE * BLOCK_SIZE
                                          : trace->buffer.length);
}

bool trace_close(struct trace *trace)
{
    write_out(trace, trace->buffer.length);
    if (!trace->failed && trace->options.file && !output_commit(&trace->output))
        trace->failed = true;
    text_free(&trace->buffer);
    text_free(&trace->scratch);
    trace_head_drop(trace);
    trace->stream = NULL;
    return !trace->failed;
}

/* ---- shared by the formats ---- */

void trace_hex(struct text *text, uint64_t value, unsigned digits)
{
    text_extend(text, put_hex(text_room(text, HEX_ROOM), value, digits));
}

const char *trace_disassembly(struct trace *trace, const struct trace_record *record)
{
    char *tab;

    text_clear(&trace->scratch);
    if (record->is_interrupt)
        return "(interrupt)";
    if (record->length == 0)
        return "(no instruction)";
    disasm_instruction(&trace->disasm, &trace->scratch, record->pc, record->word, record->length);
    tab = strchr(trace->scratch.bytes, '\t');
    if (tab)
        *tab = ' ';
    return trace->scratch.bytes;
}

const struct elf_symbol *trace_symbol(const struct trace *trace, uint64_t pc)
{
    return trace->program.symbols ? symbolizer_find(trace->program.symbols, pc) : NULL;
}

uint64_t trace_program_digest(const struct trace *trace)
{
    const struct elf_file *file = trace->program.file;

    return file ? hash_bytes(file->bytes, file->length, 0) : 0;
}
