/* The json trace: the header and each instruction are one JSON object on a line of its own. Numbers
 * of 64 bits are strings of hexadecimal digits, since not every JSON parser reads such numbers
 * exactly. The keys are in docs/trace-format.md. */
#include "emu/trace/write.h"
#include "lib/quote.h"

#include <inttypes.h>

static void write_number(struct text *text, uint64_t value, unsigned digits)
{
    text_append_char(text, '"');
    trace_hex(text, value, digits);
    text_append_char(text, '"');
}

static void write_header(struct trace *trace)
{
    uint64_t entry = trace->program.file ? trace->program.file->header.e_entry : 0;

    text_format(&trace->buffer, "{\"format\":\"tensor-trace\",\"version\":%d,", TRACE_VERSION);
    text_format(&trace->buffer,
                "\"program\":\"%016" PRIx64 "\",\"entry\":\"0x%" PRIx64
                "\",\"isa\":\"%s\",\"machine\":\"%016" PRIx64 "\"",
                trace_program_digest(trace), entry, isa_fingerprint, trace->program.machine);
    if (trace->program.workers)
        text_format(&trace->buffer, ",\"threads\":%u", trace->program.workers);
    text_append(&trace->buffer, "}\n");
}

/* Begins the object of a register effect, up to the digits of its value. */
static void append_label(struct text *text, const struct isa_register_file *file, unsigned number)
{
    text_format(text, "{\"register\":\"%s\",\"value\":\"0x", file->names[number]);
}

static char *put_named(char *at, const char *name, uint64_t value)
{
    at = put_string(put_literal(at, "{\"csr\":\""), name);
    return put_value(put_literal(at, "\",\"value\":\"0x"), value);
}

static char *put_csr(char *at, const struct effect *effect)
{
    const struct isa_csr *csr = isa_csr_by_number(effect->number);

    if (csr)
        return put_named(at, csr->name, effect->value);
    at = put_value(put_literal(at, "{\"csr\":\"csr0x"), effect->number);
    return put_value(put_literal(at, "\",\"value\":\"0x"), effect->value);
}

/* Puts the rest of {"load":"0xADDRESS","size":4,"value":"0xVALUE after the first 0x. */
static char *put_access(char *at, const struct effect *effect)
{
    at = put_literal(put_value(at, effect->address), "\",\"size\":");
    *at++ = (char)('0' + effect->size);
    return put_value(put_literal(at, ",\"value\":\"0x"), effect->value);
}

/* Puts the rest of {"read":"0xADDRESS","length":"0xLENGTH after the first 0x. */
static char *put_range(char *at, const struct effect *effect)
{
    at = put_literal(put_value(at, effect->address), "\",\"length\":\"0x");
    return put_value(at, effect->length);
}

static void write_state(struct text *text, const struct effect *effect)
{
    text_append(text, "{\"state\":\"");
    effect_append_state(text, effect);
    text_format(text, "\",\"value\":\"0x%" PRIx64, effect->value);
}

/* Appends {"hop":"sparse.answer[2][1]","from":"2,1","to":"1,1","value":"0x40. */
static void write_hop(struct text *text, const struct effect *effect)
{
    text_format(
        text,
        "{\"hop\":\"%s.%s[%u][%d]\",\"from\":\"%u,%u\",\"to\":\"%u,%u\",\"value\":\"0x%" PRIx64,
        effect->unit, effect->name, effect->number, effect->dimension,
        EFFECT_PLACE_ROW(effect->address), EFFECT_PLACE_COLUMN(effect->address),
        EFFECT_PLACE_ROW(effect->length), EFFECT_PLACE_COLUMN(effect->length), effect->value);
}

/* Puts the object of an effect without the characters that close its last string and the object. */
static char *put_effect(struct trace *trace, char *at, const struct effect *effect,
                        const struct recorder *recorder)
{
    switch (effect->kind) {
    case EFFECT_REGISTER:
        return put_register(put_label(at, trace_label(trace, effect)), effect, recorder);
    case EFFECT_LOAD:
        return put_access(put_literal(at, "{\"load\":\"0x"), effect);
    case EFFECT_STORE:
        return put_access(put_literal(at, "{\"store\":\"0x"), effect);
    case EFFECT_CSR:
        return put_csr(at, effect);
    case EFFECT_PRIVILEGE:
        return put_named(at, "priv", effect->value);
    case EFFECT_RANGE_READ:
        return put_range(put_literal(at, "{\"read\":\"0x"), effect);
    case EFFECT_RANGE_WRITE:
        at = put_range(put_literal(at, "{\"write\":\"0x"), effect);
        return put_digits(put_literal(at, "\",\"digest\":\""), effect->value, 16);
    case EFFECT_STATE:
        text_extend(&trace->buffer, at);
        write_state(&trace->buffer, effect);
        return trace_room(trace, recorder, 0);
    case EFFECT_HOP:
        text_extend(&trace->buffer, at);
        write_hop(&trace->buffer, effect);
        return trace_room(trace, recorder, 0);
    }
    return at;
}

/* Puts the effects and the bracket that closes their list. */
static char *put_effects(struct trace *trace, char *at, const struct recorder *recorder)
{
    bool any = false;

    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (!trace_shows(trace, effect))
            continue;
        at = put_literal(put_effect(trace, at, effect, recorder), "\"},");
        any = true;
    }
    if (any)
        at--; /* the last comma */
    *at++ = ']';
    return at;
}

static char *put_trap(char *at, const struct trace_record *record)
{
    if (record->is_interrupt)
        return put_decimal(put_literal(at, ",\"interrupt\":"), record->trap->cause);
    at = put_decimal(put_literal(at, ",\"trap\":{\"cause\":"), record->trap->cause);
    at = put_value(put_literal(at, ",\"value\":\"0x"), record->trap->value);
    return put_literal(at, "\"}");
}

static size_t append_prefix(struct trace *trace, const struct trace_record *record,
                            struct text *text)
{
    const struct elf_symbol *symbol = trace_symbol(trace, record->pc);

    text_append(text, ",\"pc\":");
    write_number(text, record->pc, 1);
    if (symbol) {
        text_append(text, ",\"symbol\":");
        quote_json(text, symbol->name);
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
    quote_json(text, trace_disassembly(trace, record));
    text_append(text, ",\"effects\":[");
    return text->length;
}

static bool write_line(struct trace *trace, const struct trace_record *record)
{
    const struct trace_prefix *prefix = trace_prefix(trace, record);
    const struct trace_count *count = &trace->count;

    trace_count_to(&trace->count, record->sequence);
    char *at = trace_room(trace, record->recorder, prefix->complete);
    at = put_literal(at, "{\"sequence\":");
    at = put_pieces(at, count->text + COUNT_END - count->length, count->length);
    if (trace->program.workers)
        at = put_decimal(put_literal(at, ",\"turn\":"), record->turn);
    if (record->thread) {
        at = put_string(put_literal(at, ",\"thread\":\""), trace_thread(trace, record->thread));
        *at++ = '"';
    }
    at = put_pieces(at, prefix->bytes, prefix->complete);
    at = put_effects(trace, at, record->recorder);
    if (record->trap)
        at = put_trap(at, record);
    text_extend(&trace->buffer, put_literal(at, "}\n"));
    return true;
}

const struct trace_syntax trace_json_syntax = {
    .header = write_header,
    .label = append_label,
    .prefix = append_prefix,
    .line = write_line,
};
