/* Where a trace goes, what of it is wanted, and what its three formats share. Lines are collected
 * in a buffer of some tens of kilobytes; a failure to write ends the trace, is reported once, and
 * leaves no file behind. */
#include "emu/trace.h"
#include "emu/trace_write.h"

#include "isa_ids.h"
#include "lib/map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_LIMIT = 1 << 16 };

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

bool trace_open(struct trace *trace, struct diag *diag, const struct trace_options *options,
                const struct trace_program *program)
{
    *trace = (struct trace){.options = *options, .diag = diag, .on = !options->has_from};
    if (program)
        trace->program = *program;
    trace->disasm.symbols = trace->program.symbols;
    trace->x = &isa_register_files[ISA_FILE_X];
    trace->f = &isa_register_files[ISA_FILE_F];
    if (!options->file) {
        trace->stream = stderr;
    } else {
        if (!output_open(&trace->output, diag, options->file, 0666))
            return false;
        trace->stream = trace->output.stream;
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

void trace_flush(struct trace *trace)
{
    struct text *buffer = &trace->buffer;

    if (trace->stream && buffer->length &&
        (fwrite(buffer->bytes, 1, buffer->length, trace->stream) != buffer->length ||
         fflush(trace->stream) != 0))
        fail(trace);
    text_clear(buffer);
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
    if (trace->buffer.length >= BUFFER_LIMIT)
        trace_flush(trace);
}

bool trace_close(struct trace *trace)
{
    trace_flush(trace);
    if (!trace->failed && trace->options.file && !output_commit(&trace->output))
        trace->failed = true;
    text_free(&trace->buffer);
    text_free(&trace->scratch);
    trace->stream = NULL;
    return !trace->failed;
}

/* ---- shared by the formats ---- */

void trace_hex(struct text *text, uint64_t value, unsigned digits)
{
    char buffer[18];
    unsigned at = sizeof buffer;

    do {
        buffer[--at] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value || sizeof buffer - at < digits);
    buffer[--at] = 'x';
    buffer[--at] = '0';
    text_append_bytes(text, buffer + at, sizeof buffer - at);
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

bool trace_shows(const struct trace *trace, const struct effect *effect)
{
    if (effect->kind == EFFECT_X)
        return effect->number < trace->x->count && !(trace->x->zero && effect->number == 0);
    return effect->kind != EFFECT_F || effect->number < trace->f->count;
}

uint64_t trace_program_digest(const struct trace *trace)
{
    const struct elf_file *file = trace->program.file;

    return file ? hash_bytes(file->bytes, file->length, 0) : 0;
}
