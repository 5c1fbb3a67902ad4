/* The text trace, for people and for tdiff. One line per instruction, in columns:
 *
 *     SEQUENCE PC <SYMBOL+OFFSET> ENCODING DISASSEMBLY | EFFECT EFFECT…
 *
 * The grammar is in docs/trace-format.md; tdiff_text.c reads it. */
#include "emu/trace_write.h"

#include <inttypes.h>

enum {
    SEQUENCE_COLUMNS = 8, /* more when the number has more digits: SEQUENCE_WIDE */
    SYMBOL_COLUMN = 28,
    ENCODING_COLUMN = 52,
    DISASSEMBLY_COLUMN = 70,
    EFFECT_COLUMN = 106,
};
#define SEQUENCE_WIDE UINT64_C(100000000)

void trace_text_header(struct trace *trace)
{
    uint64_t entry = trace->program.file ? trace->program.file->header.e_entry : 0;

    text_format(&trace->buffer, "# tensor-trace %d text", TRACE_VERSION);
    text_format(&trace->buffer,
                " program=%016" PRIx64 " entry=0x%" PRIx64 " isa=%s machine=%016" PRIx64 "\n",
                trace_program_digest(trace), entry, isa_fingerprint, trace->program.machine);
    trace->sequence_columns = SEQUENCE_COLUMNS;
}

static void write_symbol(struct text *text, const struct elf_symbol *symbol, uint64_t pc)
{
    if (!symbol) {
        text_append_char(text, '-');
        return;
    }
    text_append_char(text, '<');
    disasm_name(text, symbol->name);
    if (pc != symbol->raw.st_value) {
        text_append_char(text, '+');
        trace_hex(text, pc - symbol->raw.st_value, 1);
    }
    text_append_char(text, '>');
}

/* NAME=0xVALUE; effects come with the blank before them */
static void write_value(struct trace *trace, const char *name, uint64_t value)
{
    char *at = put_string(trace_room(trace), name);

    *at++ = '=';
    text_extend(&trace->buffer, put_hex(at, value, 1));
}

static void write_named(struct trace *trace, const char *name, uint64_t value)
{
    text_append_char(&trace->buffer, ' ');
    write_value(trace, name, value);
}

/* load4[0xADDRESS]=0xVALUE */
static void write_access(struct trace *trace, const char *name, const struct effect *effect)
{
    char *at = put_string(trace_room(trace), name);

    *at++ = (char)('0' + effect->size);
    *at++ = '[';
    at = put_hex(at, effect->address, 1);
    *at++ = ']';
    *at++ = '=';
    text_extend(&trace->buffer, put_hex(at, effect->value, 1));
}

/* read[0xADDRESS+0xLENGTH] */
static void write_range(struct trace *trace, const char *name, const struct effect *effect)
{
    char *at = put_string(trace_room(trace), name);

    *at++ = '[';
    at = put_hex(at, effect->address, 1);
    *at++ = '+';
    at = put_hex(at, effect->length, 1);
    *at++ = ']';
    text_extend(&trace->buffer, at);
}

static void write_digest(struct trace *trace, uint64_t digest)
{
    char *at = trace_room(trace);

    *at++ = '#';
    text_extend(&trace->buffer, put_digits(at, digest, 16));
}

static void write_csr(struct trace *trace, const struct effect *effect)
{
    const struct isa_csr *csr = isa_csr_by_number(effect->number);

    if (csr) {
        write_named(trace, csr->name, effect->value);
        return;
    }
    text_append(&trace->buffer, " csr");
    trace_hex(&trace->buffer, effect->number, 1);
    write_value(trace, "", effect->value);
}

static void write_state(struct trace *trace, const struct effect *effect)
{
    text_format(&trace->buffer, " %s.%s", effect->unit, effect->name);
    if (effect->number != EFFECT_NO_ROW)
        text_format(&trace->buffer, "[%u]", effect->number);
    if (effect->dimension >= 0)
        text_format(&trace->buffer, "[%d]", effect->dimension);
    write_value(trace, "", effect->value);
}

/* UNIT.NAME[ROW][COLUMN]:ROW,COLUMN>ROW,COLUMN=0xBYTES */
static void write_hop(struct trace *trace, const struct effect *effect)
{
    text_format(&trace->buffer, " %s.%s[%u][%d]:%u,%u>%u,%u", effect->unit, effect->name,
                effect->number, effect->dimension, EFFECT_PLACE_ROW(effect->address),
                EFFECT_PLACE_COLUMN(effect->address), EFFECT_PLACE_ROW(effect->length),
                EFFECT_PLACE_COLUMN(effect->length));
    write_value(trace, "", effect->value);
}

static void write_effect(struct trace *trace, const struct effect *effect)
{
    switch (effect->kind) {
    case EFFECT_X:
        write_named(trace, trace->x->names[effect->number], effect->value);
        break;
    case EFFECT_F:
        write_named(trace, trace->f->names[effect->number], effect->value);
        break;
    case EFFECT_CSR:
        write_csr(trace, effect);
        break;
    case EFFECT_PRIVILEGE:
        write_value(trace, " priv", effect->value);
        break;
    case EFFECT_LOAD:
        write_access(trace, " load", effect);
        break;
    case EFFECT_STORE:
        write_access(trace, " store", effect);
        break;
    case EFFECT_RANGE_READ:
        write_range(trace, " read", effect);
        break;
    case EFFECT_RANGE_WRITE:
        write_range(trace, " write", effect);
        write_digest(trace, effect->value);
        break;
    case EFFECT_STATE:
        write_state(trace, effect);
        break;
    case EFFECT_HOP:
        write_hop(trace, effect);
        break;
    }
}

size_t trace_text_head(struct trace *trace, const struct trace_record *record, struct text *text)
{
    size_t plain;

    text_pad(text, trace->sequence_columns);
    text_append_char(text, ' ');
    trace_hex(text, record->pc, 16);
    text_append_char(text, ' ');
    text_pad(text, SYMBOL_COLUMN);
    write_symbol(text, trace_symbol(trace, record->pc), record->pc);
    text_append_char(text, ' ');
    text_pad(text, ENCODING_COLUMN);
    if (record->length)
        text_format(text, "%0*" PRIx64, 2 * record->length, record->word);
    else
        text_append_char(text, '-');
    text_append_char(text, ' ');
    text_pad(text, DISASSEMBLY_COLUMN);
    text_append(text, trace_disassembly(trace, record));
    plain = text->length;
    text_pad(text, EFFECT_COLUMN);
    text_append(text, " |");
    return plain;
}

/* Copies the head and puts the number into its first columns. */
static void write_head(struct text *text, const struct trace_head *head, unsigned columns,
                       uint64_t sequence)
{
    char *at = text_room(text, head->complete);

    text_extend(text, put_bytes(at, head->bytes, head->complete));
    put_decimal_before(at + columns, sequence);
}

static void write_trap(struct trace *trace, const struct trace_record *record)
{
    if (record->is_interrupt) {
        write_value(trace, " interrupt", record->trap->cause);
    } else {
        text_format(&trace->buffer, " trap=%u:", (unsigned)record->trap->cause);
        trace_hex(&trace->buffer, record->trap->value, 1);
    }
}

/* A number that does not fit moves the columns behind it. */
static void widen_sequence(struct trace *trace, uint64_t sequence)
{
    unsigned digits = 1;

    while (sequence /= 10)
        digits++;
    if (digits > trace->sequence_columns) {
        trace->sequence_columns = digits;
        trace_head_drop(trace);
    }
}

void trace_text_line(struct trace *trace, const struct trace_record *record)
{
    struct text *text = &trace->buffer;
    const struct recorder *recorder = record->recorder;
    bool has_effects = record->trap;

    if (record->sequence >= SEQUENCE_WIDE)
        widen_sequence(trace, record->sequence);
    const struct trace_head *head = trace_head(trace, record);
    const size_t without_effects = text->length + head->plain;
    write_head(text, head, trace->sequence_columns, record->sequence);
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        if (trace_shows(trace, &recorder->effects[i])) {
            has_effects = true;
            write_effect(trace, &recorder->effects[i]);
        }
    }
    if (record->trap)
        write_trap(trace, record);
    if (!has_effects)
        text->length = without_effects;
    text_append_char(text, '\n');
}
