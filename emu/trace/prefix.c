/* The prefixes of lines: the part of a line that depends only on its instruction, not on values.
 * The key of a prefix is pc, encoding and mode, so it never gets out of date: code that changes has
 * another encoding. The table has a fixed size and one slot for each pc; a new prefix replaces the
 * one in its slot.
 *
 * The line of a step of a log has more that is always the same: the names of its effects. The table
 * of lines has one slot for each place of a step, until the steps are forgotten. */
#include "emu/trace/write.h"
#include "lib/map.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void end_without_memory(void)
{
    fputs("temu: error: out of memory\n", stderr);
    exit(1);
}

void trace_prefix_init(struct trace *trace)
{
    trace->prefixes = calloc(PREFIXES, sizeof *trace->prefixes);
    trace->lines = calloc(LINES, sizeof *trace->lines);
    if (!trace->prefixes || !trace->lines)
        end_without_memory();
}

void trace_prefix_make(struct trace *trace, struct trace_prefix *prefix,
                       const struct trace_record *record)
{
    struct text text = TEXT_INIT;
    size_t plain = trace->syntax->prefix(trace, record, &text);

    text_reserve(&text, PIECE);
    free(prefix->bytes);
    *prefix = (struct trace_prefix){
        .pc = record->pc,
        .word = record->word,
        .length = (uint8_t)record->length,
        .privilege = (uint8_t)record->privilege,
        .is_interrupt = record->is_interrupt,
        .plain = (uint32_t)plain,
        .complete = (uint32_t)text.length,
        .bytes = text.bytes,
    };
}

static void drop_lines(struct trace *trace)
{
    for (size_t i = 0; i < trace->line_count; i++) {
        free(trace->lines[i].bytes);
        trace->lines[i] = (struct trace_line){0};
    }
    trace->line_count = 0;
}

void trace_prefix_drop(struct trace *trace)
{
    drop_lines(trace);
    for (size_t i = 0; i < PREFIXES; i++) {
        free(trace->prefixes[i].bytes);
        trace->prefixes[i] = (struct trace_prefix){0};
    }
}

void trace_prefix_free(struct trace *trace)
{
    trace_prefix_drop(trace);
    free(trace->prefixes);
    free(trace->lines);
}

/* ---- lines of steps ---- */

void trace_lines_sync(struct trace *trace, const struct log_steps *steps)
{
    if (trace->line_resets != steps->resets)
        drop_lines(trace);
    trace->line_resets = steps->resets;
}

void trace_line_make(struct trace *trace, uint32_t place, const struct trace_parts *parts)
{
    struct trace_line *line = trace_line_slot(trace, place);
    const char *text = parts->text.bytes;
    size_t head = parts->count ? parts->cuts[0] : parts->text.length;
    size_t padded = HEAD_PIECE + head / PIECE * PIECE + PIECE;

    if (trace->line_count <= place % LINES)
        trace->line_count = place % LINES + 1;
    free(line->bytes);
    *line = (struct trace_line){
        .place = place, .head = (uint32_t)head, .values = (uint8_t)parts->count};
    line->bytes = calloc(1, padded + parts->count * sizeof *line->tails);
    if (!line->bytes)
        end_without_memory();
    line->tails = (void *)(line->bytes + padded);
    memcpy(line->bytes, text, head);
    for (unsigned i = 0; i < parts->count; i++) {
        size_t from = parts->cuts[i];
        size_t to = i + 1 < parts->count ? parts->cuts[i + 1] : parts->text.length;
        if (to - from > TAIL)
            BUG("a text between two values of a trace has %zu bytes", to - from);
        line->lengths[i] = (uint8_t)(to - from);
        memcpy(line->tails[i], text + from, to - from);
    }
}

/* ---- parts of prefixes and headers ---- */

const char *trace_thread(struct trace *trace, unsigned number)
{
    char *name = trace->threads[number < NAMED_THREADS ? number : 0];

    if (number && (!*name || number >= NAMED_THREADS))
        thread_name(name, trace->program.workers != 0, number);
    return number ? name : NULL;
}

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
