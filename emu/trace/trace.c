/* Opens and closes the trace, and selects the instructions that it shows. A failure to write ends
 * the trace. */
#include "emu/trace/trace.h"
#include "emu/trace/write.h"

#include "isa_ids.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const struct trace_syntax *syntax;
} formats[] = {
    [TRACE_TEXT] = {"text", &trace_text_syntax},
    [TRACE_SPIKE] = {"spike", &trace_spike_syntax},
    [TRACE_JSON] = {"json", &trace_json_syntax},
};

bool trace_format_by_name(const char *name, enum trace_format *format)
{
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0) {
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

    trace->syntax->label(&text, file, number);
    if (text.length > sizeof label->bytes)
        BUG("the name of register %s is too long for a trace", file->names[number]);
    memcpy(label->bytes, text.bytes, text.length);
    label->length = (uint8_t)text.length;
    text_free(&text);
}

/* Makes the labels of all registers but the hard-wired zero, whose writes are not shown. */
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
    trace->syntax = formats[options->format].syntax;
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
    trace_prefix_init(trace);
    if (trace->syntax->header)
        trace->syntax->header(trace);
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

/* Is the record selected by the options? Also turns the trace on and off at the pcs of `from` and
 * `to`. */
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
    if (!trace->syntax->line(trace, record))
        return;
    trace->written++;
    if (trace->buffer.length >= trace->sink.enough)
        trace_sink_put(&trace->sink, &trace->buffer);
}

bool trace_close(struct trace *trace)
{
    bool complete = trace_sink_close(&trace->sink, &trace->buffer);

    text_free(&trace->buffer);
    text_free(&trace->scratch);
    trace_prefix_free(trace);
    return complete;
}
