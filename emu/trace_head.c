/* The heads of lines: what a line has of its instruction whatever values it meets. A head depends
 * on nothing but its key (pc, encoding, mode), so it is never out of date: code that changes has
 * another encoding. Each pc has one place in a table of fixed size; what comes to the same place
 * replaces what was there. */
#include "emu/trace_write.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADS = 1 << 15 }; /* places: instructions of 64 KiB of code that runs */

static struct trace_head *new_heads(void)
{
    struct trace_head *heads = calloc(HEADS, sizeof *heads);

    if (!heads) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
    return heads;
}

static bool is_of(const struct trace_head *head, const struct trace_record *record)
{
    return head->pc == record->pc && head->word == record->word && head->length == record->length &&
           head->privilege == record->privilege && head->is_interrupt == record->is_interrupt &&
           head->bytes;
}

static void make_head(struct trace *trace, struct trace_head *head,
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

const struct trace_head *trace_head(struct trace *trace, const struct trace_record *record)
{
    if (!trace->heads)
        trace->heads = new_heads();
    struct trace_head *head = &trace->heads[record->pc / 2 % HEADS];
    if (!is_of(head, record))
        make_head(trace, head, record);
    return head;
}

void trace_head_drop(struct trace *trace)
{
    for (size_t i = 0; trace->heads && i < HEADS; i++)
        free(trace->heads[i].bytes);
    free(trace->heads);
    trace->heads = NULL;
}
