/* The text trace, for people and for tdiff. One line per instruction, in columns:
 *
 *     SEQUENCE PC <SYMBOL+OFFSET> ENCODING DISASSEMBLY | EFFECT EFFECT…
 *
 * The grammar is in docs/trace-format.md; tdiff_text.c reads it. */
#include "emu/trace_write.h"

#include <inttypes.h>

enum { SYMBOL_COLUMN = 28, ENCODING_COLUMN = 52, DISASSEMBLY_COLUMN = 70, EFFECT_COLUMN = 106 };

void trace_text_header(struct trace *trace)
{
    uint64_t entry = trace->program.file ? trace->program.file->header.e_entry : 0;

    text_format(&trace->buffer, "# tensor-trace %d text", TRACE_VERSION);
    text_format(&trace->buffer,
                " program=%016" PRIx64 " entry=0x%" PRIx64 " isa=%s machine=%016" PRIx64 "\n",
                trace_program_digest(trace), entry, isa_fingerprint, trace->program.machine);
}

static void write_number(struct text *text, uint64_t value)
{
    trace_hex(text, value, 1);
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
        write_number(text, pc - symbol->raw.st_value);
    }
    text_append_char(text, '>');
}

/* NAME=0xVALUE */
static void write_value(struct text *text, const char *name, uint64_t value)
{
    text_append(text, name);
    text_append_char(text, '=');
    write_number(text, value);
}

/* load4[0xADDRESS]=0xVALUE */
static void write_access(struct text *text, const char *name, const struct effect *effect)
{
    text_append(text, name);
    text_append_char(text, (char)('0' + effect->size));
    text_append_char(text, '[');
    write_number(text, effect->address);
    text_append(text, "]=");
    write_number(text, effect->value);
}

/* read[0xADDRESS+0xLENGTH] */
static void write_range(struct text *text, const char *name, const struct effect *effect)
{
    text_append(text, name);
    text_append_char(text, '[');
    write_number(text, effect->address);
    text_append_char(text, '+');
    write_number(text, effect->length);
    text_append_char(text, ']');
}

static void write_csr(struct text *text, const struct effect *effect)
{
    const struct isa_csr *csr = isa_csr_by_number(effect->number);

    if (csr) {
        write_value(text, csr->name, effect->value);
        return;
    }
    text_append(text, "csr");
    write_number(text, effect->number);
    write_value(text, "", effect->value);
}

static void write_state(struct text *text, const struct effect *effect)
{
    text_format(text, "%s.%s", effect->unit, effect->name);
    if (effect->number != EFFECT_NO_ROW)
        text_format(text, "[%u]", effect->number);
    if (effect->dimension >= 0)
        text_format(text, "[%d]", effect->dimension);
    write_value(text, "", effect->value);
}

/* UNIT.NAME[ROW][COLUMN]:ROW,COLUMN>ROW,COLUMN=0xBYTES */
static void write_hop(struct text *text, const struct effect *effect)
{
    text_format(text, "%s.%s[%u][%d]:%u,%u>%u,%u", effect->unit, effect->name, effect->number,
                effect->dimension, EFFECT_PLACE_ROW(effect->address),
                EFFECT_PLACE_COLUMN(effect->address), EFFECT_PLACE_ROW(effect->length),
                EFFECT_PLACE_COLUMN(effect->length));
    write_value(text, "", effect->value);
}

static void write_effect(const struct trace *trace, struct text *text, const struct effect *effect)
{
    switch (effect->kind) {
    case EFFECT_X:
        write_value(text, trace->x->names[effect->number], effect->value);
        break;
    case EFFECT_F:
        write_value(text, trace->f->names[effect->number], effect->value);
        break;
    case EFFECT_CSR:
        write_csr(text, effect);
        break;
    case EFFECT_PRIVILEGE:
        write_value(text, "priv", effect->value);
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
        text_format(text, "#%016" PRIx64, effect->value);
        break;
    case EFFECT_STATE:
        write_state(text, effect);
        break;
    case EFFECT_HOP:
        write_hop(text, effect);
        break;
    }
}

static void begin_effect(struct text *text, bool *first)
{
    if (*first)
        text_pad(text, EFFECT_COLUMN);
    text_append(text, *first ? " | " : " ");
    *first = false;
}

void trace_text_line(struct trace *trace, const struct trace_record *record)
{
    struct text *text = &trace->buffer;
    bool first = true;

    text_format(text, "%8" PRIu64 " ", record->sequence);
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
    for (size_t i = 0; record->recorder && i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        if (trace_shows(trace, effect)) {
            begin_effect(text, &first);
            write_effect(trace, text, effect);
        }
    }
    if (record->is_interrupt) {
        begin_effect(text, &first);
        write_value(text, "interrupt", record->trap->cause);
    } else if (record->trap) {
        begin_effect(text, &first);
        text_format(text, "trap=%u:", (unsigned)record->trap->cause);
        write_number(text, record->trap->value);
    }
    text_append_char(text, '\n');
}
