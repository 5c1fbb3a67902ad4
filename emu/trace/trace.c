/* Opens and closes the trace, and selects the instructions that it shows. A failure to write ends
 * the trace. */
#include "emu/trace/trace.h"
#include "emu/trace/write.h"

#include "isa_ids.h"
#include "lib/file.h"
#include "lib/trace/ttrace_write.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const struct trace_syntax *syntax;
} formats[] = {
    [TRACE_TEXT] = {"text", &trace_text_syntax},
    [TRACE_SPIKE] = {"spike", &trace_spike_syntax},
    [TRACE_JSON] = {"json", &trace_json_syntax},
    [TRACE_RISCV_DV] = {"riscv-dv", &trace_riscv_dv_syntax},
    [TRACE_RVVI] = {"rvvi", &trace_rvvi_syntax},
    [TRACE_LOSSLESS] = {"ttrace", &trace_lossless_syntax},
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

void trace_format_by_ending(const char *file, enum trace_format *format)
{
    size_t length = strlen(file);

    if (file_name_ends(file, ".zst"))
        length -= strlen(".zst");
    *format = TRACE_TEXT;
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        size_t end = strlen(formats[i].name);
        if (length > end && file[length - end - 1] == '.' &&
            memcmp(file + length - end, formats[i].name, end) == 0)
            *format = (enum trace_format)i;
    }
}

/* Returns the most room that an effect can take. */
static size_t effect_room(void)
{
    size_t longest = 0, digits = 0;

    for (size_t i = 0; i < isa_register_file_count; i++) {
        const struct isa_register_file *file = &isa_register_files[i];
        for (unsigned number = 0; number < file->count; number++)
            if (strlen(file->names[number]) > longest)
                longest = strlen(file->names[number]);
        if (file->words > 1 && 16u * file->words > digits)
            digits = 16u * file->words;
    }
    for (size_t i = 0; i < isa_csr_count; i++)
        if (strlen(isa_csrs[i].name) > longest)
            longest = strlen(isa_csrs[i].name);
    return EFFECT_ROOM + longest + digits;
}

static void make_label(struct trace *trace, unsigned file, unsigned number)
{
    const struct isa_register_file *registers = &isa_register_files[file];
    struct trace_label *label = &trace->labels[file][number];
    struct text text = TEXT_INIT;

    trace->syntax->label(&text, registers, number);
    if (text.length > sizeof label->bytes)
        BUG("the name of register %s is too long for a trace", registers->names[number]);
    if (text.length)
        memcpy(label->bytes, text.bytes, text.length);
    label->length = (uint8_t)text.length;
    text_free(&text);
}

static void make_labels(struct trace *trace)
{
    for (unsigned file = 0; file < isa_register_file_count; file++)
        for (unsigned number = 0; number < isa_register_files[file].count; number++)
            make_label(trace, file, number);
}

bool trace_open(struct trace *trace, struct diag *diag, const struct trace_options *options,
                const struct trace_program *program)
{
    *trace = (struct trace){.options = *options, .on = !options->has_from};
    trace->syntax = formats[options->format].syntax;
    trace->is_whole =
        !options->has_from && !options->has_to && !options->limit && !options->threads;
    if (program)
        trace->program = *program;
    trace->disasm.symbols = trace->program.symbols;
    trace->effect_room = effect_room();
    if (options->is_kept)
        trace_sink_keep(&trace->sink, diag);
    else if (!trace_sink_open(&trace->sink, diag, options->file, options->format == TRACE_LOSSLESS))
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

bool trace_may_finish(const struct trace *trace)
{
    const struct trace_options *options = &trace->options;

    return options->limit || (options->has_to && !options->has_from);
}

/* Is the name in the list? */
static bool has_name(const char *list, const char *name)
{
    for (size_t length; *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        if (strlen(name) == length && strncmp(list, name, length) == 0)
            return true;
    }
    return false;
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
    return wanted &&
           (!options->threads ||
            has_name(options->threads, trace_thread(trace, record->thread ? record->thread : 1)));
}

/* Writes the lines so far, if there are enough. */
static inline void put_enough(struct trace *trace)
{
    if (trace->buffer.length >= trace->sink.enough)
        trace_sink_put(&trace->sink, &trace->buffer);
}

void trace_instruction(struct trace *trace, const struct trace_record *record)
{
    if (trace->is_whole ? trace->sink.failed : !is_wanted(trace, record))
        return;
    if (!trace->syntax->line(trace, record))
        return;
    trace->written++;
    put_enough(trace);
}

/* Appends the lines of `count` steps of a block, which have one mode, from this one on. Returns the
 * end of the words. */
static const uint64_t *write_steps(struct trace *trace, const struct log_steps *steps,
                                   uint32_t place, const struct trace_start *start, uint64_t count,
                                   const uint64_t *words, struct recorder *recorder)
{
    const struct log_step *step = &steps->items[place];
    struct trace_record record = {.sequence = start->sequence,
                                  .privilege = step->privilege,
                                  .bare = step->flags & TTRACE_BARE,
                                  .recorder = recorder,
                                  .thread = start->thread,
                                  .turn = start->turn};

    if (trace->syntax->log && trace_is_whole(trace)) {
        words = trace->syntax->log(trace, steps, place, &record, count, words);
        put_enough(trace);
        return words;
    }
    for (const struct log_step *end = step + count; step < end; step++, record.sequence++) {
        record.pc = step->pc;
        record.word = step->word;
        record.length = step->length;
        words = log_take(step, words, recorder);
        trace_instruction(trace, &record);
    }
    return words;
}

void trace_log(struct trace *trace, const struct log_steps *steps, const struct trace_start *start,
               uint64_t count, const uint64_t *log, struct recorder *recorder)
{
    struct trace_start here = *start;

    if (trace_is_direct(trace)) {
        ttrace_writer_add_log(trace->lossless, steps, start->thread, start->sequence, count, log);
        return;
    }
    trace_lines_sync(trace, steps);
    while (count) {
        uint32_t place = (uint32_t)*log;
        unsigned remaining = steps->items[place].remaining;
        uint64_t run = remaining < count ? remaining : count;
        log = write_steps(trace, steps, place, &here, run, log + 1, recorder);
        here.sequence += run;
        count -= run;
    }
    recorder_clear(recorder);
}

bool trace_close(struct trace *trace)
{
    if (trace->syntax->end)
        trace->syntax->end(trace);
    bool complete = trace_sink_close(&trace->sink, &trace->buffer);

    text_free(&trace->buffer);
    text_free(&trace->scratch);
    trace_prefix_free(trace);
    return complete;
}
