/* What of a trace is wanted, and what its three formats share. A failure to write ends the trace.
 */
#include "emu/trace/trace.h"
#include "emu/trace/write.h"

#include "isa_ids.h"
#include "lib/map.h"

#include <stdlib.h>
#include <string.h>

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

static void make_label(struct trace *trace, bool is_float, unsigned number)
{
    const struct isa_register_file *file = is_float ? trace->f : trace->x;
    struct trace_label *label = &trace->labels[is_float][number];
    struct text text = TEXT_INIT;

    switch (trace->options.format) {
    case TRACE_TEXT:
        trace_text_label(&text, file->names[number]);
        break;
    case TRACE_JSON:
        trace_json_label(&text, file->names[number]);
        break;
    case TRACE_SPIKE:
        trace_spike_label(&text, is_float ? 'f' : 'x', number);
        break;
    }
    if (text.length > sizeof label->bytes)
        BUG("the name of register %s is too long for a trace", file->names[number]);
    memcpy(label->bytes, text.bytes, text.length);
    label->length = (uint8_t)text.length;
    text_free(&text);
}

/* But for writes to the hard-wired zero, which are not shown. */
static void make_labels(struct trace *trace)
{
    for (unsigned number = trace->x->zero ? 1 : 0; number < trace->x->count; number++)
        make_label(trace, false, number);
    for (unsigned number = 0; number < trace->f->count; number++)
        make_label(trace, true, number);
}

bool trace_open(struct trace *trace, struct diag *diag, const struct trace_options *options,
                const struct trace_program *program)
{
    *trace = (struct trace){.options = *options, .on = !options->has_from};
    trace->is_whole = !options->has_from && !options->has_to && !options->limit;
    if (program)
        trace->program = *program;
    trace->disasm.symbols = trace->program.symbols;
    trace->x = &isa_register_files[ISA_FILE_X];
    trace->f = &isa_register_files[ISA_FILE_F];
    trace->effect_room = EFFECT_ROOM + longest_name(trace);
    if (!trace_sink_open(&trace->sink, diag, options->file))
        return false;
    make_labels(trace);
    trace_head_init(trace);
    if (options->format == TRACE_TEXT)
        trace_text_header(trace);
    else if (options->format == TRACE_JSON)
        trace_json_header(trace);
    return true;
}

void trace_report_to(struct trace *trace, struct diag *diag)
{
    trace->sink.diag = trace->sink.output.diag = diag;
}

void trace_flush(struct trace *trace)
{
    trace_sink_flush(&trace->sink, &trace->buffer);
}

bool trace_finished(const struct trace *trace)
{
    const struct trace_options *options = &trace->options;

    return trace->sink.failed || (options->limit && trace->written >= options->limit) ||
           (!trace->on && !options->has_from);
}

/* Opens and closes the trace, too. */
static bool is_wanted(struct trace *trace, const struct trace_record *record)
{
    const struct trace_options *options = &trace->options;

    if (trace_finished(trace))
        return false;
    if (options->has_from && record->pc == options->from)
        trace->on = true;
    bool wanted = trace->on;
    if (options->has_to && record->pc == options->to)
        trace->on = false;
    return wanted;
}

void trace_instruction(struct trace *trace, const struct trace_record *record)
{
    if (trace->is_whole ? trace->sink.failed : !is_wanted(trace, record))
        return;
    switch (trace->options.format) {
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
    if (trace->buffer.length >= trace->sink.enough)
        trace_sink_put(&trace->sink, &trace->buffer);
}

bool trace_close(struct trace *trace)
{
    bool complete = trace_sink_close(&trace->sink, &trace->buffer);

    text_free(&trace->buffer);
    text_free(&trace->scratch);
    trace_head_free(trace);
    return complete;
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
