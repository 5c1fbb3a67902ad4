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

/* {"register":"a0","value":"0x0" */
static void write_named(struct text *text, const char *key, const char *name, uint64_t value)
{
    text_format(text, "{\"%s\":\"%s\",\"value\":", key, name);
    write_number(text, value, 1);
}

static void write_csr(struct text *text, const struct effect *effect)
{
    const struct isa_csr *csr = isa_csr_by_number(effect->number);
    char number[16];

    snprintf(number, sizeof number, "csr0x%x", effect->number);
    write_named(text, "csr", csr ? csr->name : number, effect->value);
}

static void write_access(struct text *text, const char *key, const struct effect *effect)
{
    text_format(text, "{\"%s\":", key);
    write_number(text, effect->address, 1);
    text_format(text, ",\"size\":%u,\"value\":", effect->size);
    write_number(text, effect->value, 1);
}

static void write_range(struct text *text, const char *key, const struct effect *effect)
{
    text_format(text, "{\"%s\":", key);
    write_number(text, effect->address, 1);
    text_append(text, ",\"length\":");
    write_number(text, effect->length, 1);
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

static void write_effect(const struct trace *trace, struct text *text, const struct effect *effect)
{
    switch (effect->kind) {
    case EFFECT_X:
        write_named(text, "register", trace->x->names[effect->number], effect->value);
        break;
    case EFFECT_F:
        write_named(text, "register", trace->f->names[effect->number], effect->value);
        break;
    case EFFECT_CSR:
        write_csr(text, effect);
        break;
    case EFFECT_PRIVILEGE:
        write_named(text, "csr", "priv", effect->value);
        break;
    case EFFECT_LOAD:
        write_access(text, "load", effect);
        break;
    case EFFECT_STORE:
        write_access(text, "store", effect);
        break;
    case EFFECT_RANGE_READ:
        write_range(text, "read", effect);
        break;
    case EFFECT_RANGE_WRITE:
        write_range(text, "write", effect);
        text_format(text, ",\"digest\":\"%016" PRIx64 "\"", effect->value);
        break;
    case EFFECT_STATE:
        write_state(text, effect);
        break;
    case EFFECT_HOP:
        write_hop(text, effect);
        break;
    }
    text_append_char(text, '}');
}

static void write_effects(const struct trace *trace, struct text *text,
                          const struct recorder *recorder)
{
    bool first = true;

    text_append(text, ",\"effects\":[");
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        if (!trace_shows(trace, &recorder->effects[i]))
            continue;
        if (!first)
            text_append_char(text, ',');
        first = false;
        write_effect(trace, text, &recorder->effects[i]);
    }
    text_append_char(text, ']');
}

void trace_json_line(struct trace *trace, const struct trace_record *record)
{
    const struct elf_symbol *symbol = trace_symbol(trace, record->pc);
    struct text *text = &trace->buffer;

    text_format(text, "{\"sequence\":%" PRIu64 ",\"pc\":", record->sequence);
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
    write_effects(trace, text, record->recorder);
    if (record->is_interrupt) {
        text_format(text, ",\"interrupt\":%u", (unsigned)record->trap->cause);
    } else if (record->trap) {
        text_format(text, ",\"trap\":{\"cause\":%u,\"value\":", (unsigned)record->trap->cause);
        write_number(text, record->trap->value, 1);
        text_append_char(text, '}');
    }
    text_append(text, "}\n");
}
