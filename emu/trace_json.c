/* The json trace: the header and then each instruction is one JSON object on a line of its own.
 * Numbers of 64 bits are strings of hexadecimal digits, since JSON's own numbers are not exact
 * everywhere. Keys are in docs/trace-format.md. */
#include "emu/trace_write.h"

#include <inttypes.h>

static void write_string(struct text *text, const char *string)
{
    text_append_char(text, '"');
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        if (c == '"' || c == '\\')
            text_append_char(text, '\\');
        if (c < 0x20 || c >= 0x7f)
            text_format(text, "\\u%04x", c);
        else
            text_append_char(text, (char)c);
    }
    text_append_char(text, '"');
}

static void write_number(struct text *text, uint64_t value, unsigned digits)
{
    text_append_char(text, '"');
    trace_hex(text, value, digits);
    text_append_char(text, '"');
}

void trace_json_header(struct trace *trace)
{
    uint64_t entry = trace->program.file ? trace->program.file->header.e_entry : 0;

    text_format(&trace->buffer, "{\"format\":\"tensor-trace\",\"version\":%d,", TRACE_VERSION);
    text_format(&trace->buffer,
                "\"program\":\"%016" PRIx64 "\",\"entry\":\"0x%" PRIx64
                "\",\"isa\":\"%s\",\"machine\":\"%016" PRIx64 "\"}\n",
                trace_program_digest(trace), entry, isa_fingerprint, trace->program.machine);
}

/* "KEY":"0xVALUE" behind `before` */
static char *put_member(char *at, const char *before, uint64_t value)
{
    at = put_hex(put_string(at, before), value, 1);
    *at++ = '"';
    return at;
}

/* {"register":"a0","value":"0x0"; `key` has what comes before the name */
static void write_named(struct trace *trace, const char *key, const char *name, uint64_t value)
{
    char *at = put_string(put_string(trace_room(trace), key), name);

    text_extend(&trace->buffer, put_member(at, "\",\"value\":\"", value));
}

static void write_csr(struct trace *trace, const struct effect *effect)
{
    const struct isa_csr *csr = isa_csr_by_number(effect->number);
    char number[16];

    snprintf(number, sizeof number, "csr0x%x", effect->number);
    write_named(trace, "{\"csr\":\"", csr ? csr->name : number, effect->value);
}

static void write_access(struct trace *trace, const char *key, const struct effect *effect)
{
    char *at = put_string(put_member(trace_room(trace), key, effect->address), ",\"size\":");

    *at++ = (char)('0' + effect->size);
    text_extend(&trace->buffer, put_member(at, ",\"value\":\"", effect->value));
}

static void write_range(struct trace *trace, const char *key, const struct effect *effect)
{
    char *at = put_member(trace_room(trace), key, effect->address);

    text_extend(&trace->buffer, put_member(at, ",\"length\":\"", effect->length));
}

static void write_state(struct text *text, const struct effect *effect)
{
    text_format(text, "{\"state\":\"%s.%s", effect->unit, effect->name);
    if (effect->number != EFFECT_NO_ROW)
        text_format(text, "[%u]", effect->number);
    if (effect->dimension >= 0)
        text_format(text, "[%d]", effect->dimension);
    text_append(text, "\",\"value\":");
    write_number(text, effect->value, 1);
}

/* {"hop":"sparse.answer[2][1]","from":"2,1","to":"1,1","value":"0x40" */
static void write_hop(struct text *text, const struct effect *effect)
{
    text_format(text, "{\"hop\":\"%s.%s[%u][%d]\",\"from\":\"%u,%u\",\"to\":\"%u,%u\",\"value\":",
                effect->unit, effect->name, effect->number, effect->dimension,
                EFFECT_PLACE_ROW(effect->address), EFFECT_PLACE_COLUMN(effect->address),
                EFFECT_PLACE_ROW(effect->length), EFFECT_PLACE_COLUMN(effect->length));
    write_number(text, effect->value, 1);
}

static void write_effect(struct trace *trace, const struct effect *effect)
{
    switch (effect->kind) {
    case EFFECT_X:
        write_named(trace, "{\"register\":\"", trace->x->names[effect->number], effect->value);
        break;
    case EFFECT_F:
        write_named(trace, "{\"register\":\"", trace->f->names[effect->number], effect->value);
        break;
    case EFFECT_CSR:
        write_csr(trace, effect);
        break;
    case EFFECT_PRIVILEGE:
        write_named(trace, "{\"csr\":\"", "priv", effect->value);
        break;
    case EFFECT_LOAD:
        write_access(trace, "{\"load\":\"", effect);
        break;
    case EFFECT_STORE:
        write_access(trace, "{\"store\":\"", effect);
        break;
    case EFFECT_RANGE_READ:
        write_range(trace, "{\"read\":\"", effect);
        break;
    case EFFECT_RANGE_WRITE:
        write_range(trace, "{\"write\":\"", effect);
        text_format(&trace->buffer, ",\"digest\":\"%016" PRIx64 "\"", effect->value);
        break;
    case EFFECT_STATE:
        write_state(&trace->buffer, effect);
        break;
    case EFFECT_HOP:
        write_hop(&trace->buffer, effect);
        break;
    }
    text_append_char(&trace->buffer, '}');
}

static void write_effects(struct trace *trace, const struct recorder *recorder)
{
    bool first = true;

    for (size_t i = 0; recorder && i < recorder->count; i++) {
        if (!trace_shows(trace, &recorder->effects[i]))
            continue;
        if (!first)
            text_append_char(&trace->buffer, ',');
        first = false;
        write_effect(trace, &recorder->effects[i]);
    }
    text_append_char(&trace->buffer, ']');
}

size_t trace_json_head(struct trace *trace, const struct trace_record *record, struct text *text)
{
    const struct elf_symbol *symbol = trace_symbol(trace, record->pc);

    text_append(text, ",\"pc\":");
    write_number(text, record->pc, 1);
    if (symbol) {
        text_append(text, ",\"symbol\":");
        write_string(text, symbol->name);
        text_append(text, ",\"offset\":");
        write_number(text, record->pc - symbol->raw.st_value, 1);
    }
    if (record->length) {
        text_append(text, ",\"encoding\":");
        write_number(text, record->word, 2u * (unsigned)record->length);
    }
    if (record->bare)
        text_format(text, ",\"privilege\":%u", record->privilege);
    text_append(text, ",\"disassembly\":");
    write_string(text, trace_disassembly(trace, record));
    text_append(text, ",\"effects\":[");
    return text->length;
}

void trace_json_line(struct trace *trace, const struct trace_record *record)
{
    const struct trace_head *head = trace_head(trace, record);
    struct text *text = &trace->buffer;
    char number[DECIMAL_ROOM], *const end = number + sizeof number;
    const char *first = put_decimal_before(end, record->sequence);

    text_append(text, "{\"sequence\":");
    text_append_bytes(text, first, (size_t)(end - first));
    text_append_bytes(text, head->bytes, head->complete);
    write_effects(trace, record->recorder);
    if (record->is_interrupt) {
        text_format(text, ",\"interrupt\":%u", (unsigned)record->trap->cause);
    } else if (record->trap) {
        text_format(text, ",\"trap\":{\"cause\":%u,\"value\":", (unsigned)record->trap->cause);
        write_number(text, record->trap->value, 1);
        text_append_char(text, '}');
    }
    text_append(text, "}\n");
}
