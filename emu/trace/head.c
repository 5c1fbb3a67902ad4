/* The heads of lines: what a line has of its instruction whatever values it meets. A head depends
 * on nothing but its key (pc, encoding, mode), so it is never out of date: code that changes has
 * another encoding. Each pc has one place in a table of fixed size; what comes to the same place
 * replaces what was there. */
#include "emu/trace/write.h"

#include <stdio.h>
#include <stdlib.h>

void trace_head_init(struct trace *trace)
{
    trace->heads = calloc(HEADS, sizeof *trace->heads);
    if (!trace->heads) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
}

void trace_head_make(struct trace *trace, struct trace_head *head,
                     const struct trace_record *record)
{
    struct text text = TEXT_INIT;
    size_t plain = 0;

    switch (trace->options.format) {
    case TRACE_TEXT:
        plain = trace_text_head(trace, record, &text);
        break;
    case TRACE_JSON:
        plain = trace_json_head(trace, record, &text);
        break;
    case TRACE_SPIKE:
        plain = trace_spike_head(record, &text);
        break;
    }
    text_reserve(&text, PIECE);
    free(head->bytes);
    *head = (struct trace_head){
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

void trace_head_drop(struct trace *trace)
{
    for (size_t i = 0; i < HEADS; i++) {
        free(trace->heads[i].bytes);
        trace->heads[i] = (struct trace_head){0};
    }
}

void trace_head_free(struct trace *trace)
{
    trace_head_drop(trace);
    free(trace->heads);
}
