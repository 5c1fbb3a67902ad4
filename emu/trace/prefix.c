/* The prefixes of lines: the part of a line that depends only on its instruction, not on values.
 * The key of a prefix is pc, encoding and mode, so it never gets out of date: code that changes has
 * another encoding. The table has a fixed size and one slot for each pc; a new prefix replaces the
 * one in its slot. */
#include "emu/trace/write.h"
#include "lib/map.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void trace_prefix_init(struct trace *trace)
{
    trace->prefixes = calloc(PREFIXES, sizeof *trace->prefixes);
    if (!trace->prefixes) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
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

void trace_prefix_drop(struct trace *trace)
{
    for (size_t i = 0; i < PREFIXES; i++) {
        free(trace->prefixes[i].bytes);
        trace->prefixes[i] = (struct trace_prefix){0};
    }
}

void trace_prefix_free(struct trace *trace)
{
    trace_prefix_drop(trace);
    free(trace->prefixes);
}

/* ---- parts of prefixes and headers ---- */

const char *trace_thread(struct trace *trace, unsigned number)
{
    if (number && number != trace->thread) {
        thread_name(trace->thread_name, trace->program.workers != 0, number);
        trace->thread = number;
    }
    return number ? trace->thread_name : NULL;
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
