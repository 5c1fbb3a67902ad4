/* The text trace, for people and for tdiff. One line per instruction, in columns:
 *
 *     SEQUENCE PC <SYMBOL+OFFSET> ENCODING DISASSEMBLY | EFFECT EFFECT…
 *
 * The name of the thread is after the sequence number, if there are several. The grammar is in
 * docs/trace-format.md; emu/tdiff/text.c reads it. */
#include "emu/trace/write.h"

#include <inttypes.h>

enum {
    SEQUENCE_COLUMNS = 8, /* more for numbers from SEQUENCE_WIDE on */
    SYMBOL_COLUMN = 28,
    ENCODING_COLUMN = 52,
    DISASSEMBLY_COLUMN = 70,
    EFFECT_COLUMN = 106,
    THREAD_COLUMNS = 4, /* at least */
    TURN_COLUMNS = 8,   /* at least */
};
#define SEQUENCE_WIDE UINT64_C(100000000)

static void write_header(struct trace *trace)
{
    uint64_t entry = trace->program.file ? trace->program.file->header.e_entry : 0;

    text_format(&trace->buffer, "# tensor-trace %d text", TRACE_VERSION);
    text_format(&trace->buffer,
                " program=%016" PRIx64 " entry=0x%" PRIx64 " isa=%s machine=%016" PRIx64,
                trace_program_digest(trace), entry, isa_fingerprint, trace->program.machine);
    if (trace->program.workers)
        text_format(&trace->buffer, " threads=%u", trace->program.workers);
    text_append_char(&trace->buffer, '\n');
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

/* Appends ` a0=0x`. Each effect begins with a space. */
static void append_label(struct text *text, const struct isa_register_file *file, unsigned number)
{
    text_format(text, " %s=0x", file->names[number]);
}

static char *put_named(char *at, const char *name, uint64_t value)
{
    *at++ = ' ';
    at = put_string(at, name);
    return put_value(put_literal(at, "=0x"), value);
}

/* Puts the rest of load4[0xADDRESS]=0xVALUE after "load". */
static inline char *put_access(char *at, unsigned size, uint64_t address, uint64_t value)
{
    *at++ = (char)('0' + size);
    at = put_value(put_literal(at, "[0x"), address);
    return put_value(put_literal(at, "]=0x"), value);
}

/* Puts the rest of read[0xADDRESS+0xLENGTH] after "read". */
static char *put_range(char *at, const struct effect *effect)
{
    at = put_value(put_literal(at, "[0x"), effect->address);
    at = put_value(put_literal(at, "+0x"), effect->length);
    *at++ = ']';
    return at;
}

static char *put_csr(char *at, const struct effect *effect)
{
    const struct isa_csr *csr = isa_csr_by_number(effect->number);

    if (csr)
        return put_named(at, csr->name, effect->value);
    at = put_value(put_literal(at, " csr0x"), effect->number);
    return put_value(put_literal(at, "=0x"), effect->value);
}

static void write_state(struct text *text, const struct effect *effect)
{
    text_append_char(text, ' ');
    effect_append_state(text, effect);
    text_format(text, "=0x%" PRIx64, effect->value);
}

/* Appends UNIT.NAME[ROW][COLUMN]:ROW,COLUMN>ROW,COLUMN=0xBYTES. */
static void write_hop(struct text *text, const struct effect *effect)
{
    text_format(text, " %s.%s[%u][%d]:%u,%u>%u,%u=0x%" PRIx64, effect->unit, effect->name,
                effect->number, effect->dimension, EFFECT_PLACE_ROW(effect->address),
                EFFECT_PLACE_COLUMN(effect->address), EFFECT_PLACE_ROW(effect->length),
                EFFECT_PLACE_COLUMN(effect->length), effect->value);
}

static char *put_effect(struct trace *trace, char *at, const struct effect *effect,
                        const struct recorder *recorder)
{
    switch (effect->kind) {
    case EFFECT_REGISTER:
        return put_register(put_label(at, trace_label(trace, effect)), effect, recorder);
    case EFFECT_LOAD:
        return put_access(put_literal(at, " load"), effect->size, effect->address, effect->value);
    case EFFECT_STORE:
        return put_access(put_literal(at, " store"), effect->size, effect->address, effect->value);
    case EFFECT_CSR:
        return put_csr(at, effect);
    case EFFECT_PRIVILEGE:
        return put_named(at, "priv", effect->value);
    case EFFECT_RANGE_READ:
        return put_range(put_literal(at, " read"), effect);
    case EFFECT_RANGE_WRITE:
        at = put_range(put_literal(at, " write"), effect);
        *at++ = '#';
        return put_digits(at, effect->value, 16);
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

static size_t append_prefix(struct trace *trace, const struct trace_record *record,
                            struct text *text)
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

/* Puts the prefix with the turn, if there is one, and the thread after the columns of the sequence
 * number. */
static char *put_threaded(const struct trace *trace, char *at, const struct trace_prefix *prefix,
                          uint64_t turn, const char *thread)
{
    unsigned columns = trace->sequence_columns;
    char *name = at + columns;

    *name++ = ' ';
    if (trace->program.workers) {
        char digits[COUNT_END];
        const char *first = put_decimal_before(digits + COUNT_END, turn);
        size_t length = (size_t)(digits + COUNT_END - first);
        for (size_t i = length; i < TURN_COLUMNS; i++)
            *name++ = ' ';
        memcpy(name, first, length);
        name += length;
        *name++ = ' ';
    }
    at = put_string(name, thread);
    while (at < name + THREAD_COLUMNS)
        *at++ = ' ';
    return put_pieces(at, prefix->bytes + columns, prefix->complete - columns);
}

/* Puts the prefix and writes the sequence number into its first columns. */
static char *put_prefix(const struct trace *trace, char *at, const struct trace_prefix *prefix,
                        uint64_t turn, const char *thread)
{
    unsigned columns = trace->sequence_columns;
    char *const end = thread ? put_threaded(trace, at, prefix, turn, thread)
                             : put_pieces(at, prefix->bytes, prefix->complete);

    put_bytes(at, trace->count.text + COUNT_END - SEQUENCE_COLUMNS, SEQUENCE_COLUMNS);
    if (columns > SEQUENCE_COLUMNS)
        put_bytes(at, trace->count.text + COUNT_END - columns, columns);
    return end;
}

static char *put_trap(char *at, const struct trace_record *record)
{
    if (record->is_interrupt)
        return put_named(at, "interrupt", record->trap->cause);
    at = put_decimal(put_literal(at, " trap="), record->trap->cause);
    return put_value(put_literal(at, ":0x"), record->trap->value);
}

/* Widens the first column when the sequence number does not fit, which moves all later columns. */
static void widen_sequence(struct trace *trace)
{
    if (trace->count.length > trace->sequence_columns) {
        trace->sequence_columns = trace->count.length;
        trace_prefix_drop(trace);
    }
}

/* Sets the sequence number of the next line. */
static inline void begin_line(struct trace *trace, uint64_t sequence)
{
    trace_count_to(&trace->count, sequence);
    if (sequence >= SEQUENCE_WIDE)
        widen_sequence(trace);
}

static bool write_line(struct trace *trace, const struct trace_record *record)
{
    struct text *text = &trace->buffer;
    const struct recorder *recorder = record->recorder;

    begin_line(trace, record->sequence);
    const struct trace_prefix *prefix = trace_prefix(trace, record);
    char *at = put_prefix(trace, trace_room(trace, recorder, prefix->complete), prefix,
                          record->turn, trace_thread(trace, record->thread));
    size_t bare = (size_t)(at - text->bytes);
    for (size_t i = 0; recorder && i < recorder->count; i++)
        at = put_effect(trace, at, &recorder->effects[i], recorder);
    if (record->trap)
        at = put_trap(at, record);
    else if (at == text->bytes + bare)
        at -= prefix->complete - prefix->plain;
    *at++ = '\n';
    text_extend(text, at);
    return true;
}

/* Puts the effects of a step. Returns the end of the words in *words. */
static char *put_step(const struct trace *trace, char *at, const struct log_step *step,
                      const uint64_t **words)
{
    const uint64_t *value = *words;

    for (unsigned i = 0; i < step->count; i++) {
        uint64_t shape = step->shapes[i];
        if (ttrace_shape_kind(shape) == EFFECT_REGISTER) {
            const struct trace_label *label =
                &trace->labels[ttrace_shape_file(shape)][ttrace_shape_number(shape)];
            at = put_value(put_label(at, label), *value++);
        } else {
            at = ttrace_shape_kind(shape) == EFFECT_LOAD ? put_literal(at, " load")
                                                         : put_literal(at, " store");
            at = put_access(at, ttrace_shape_size(shape), value[0], value[1]);
            value += 2;
        }
    }
    *words = value;
    return at;
}

/* The same as write_line for each step, without a recorder in between. */
static const uint64_t *write_log(struct trace *trace, const struct log_step *step,
                                 const struct trace_record *first, uint64_t count,
                                 const uint64_t *words)
{
    struct trace_record record = *first;
    const char *thread = trace_thread(trace, record.thread);

    for (const struct log_step *end = step + count; step < end; step++, record.sequence++) {
        record.pc = step->pc;
        record.word = step->word;
        record.length = step->length;
        begin_line(trace, record.sequence);
        const struct trace_prefix *prefix = trace_prefix(trace, &record);
        size_t room = LINE_ROOM + prefix->complete + LOG_EFFECTS * trace->effect_room;
        char *at = put_prefix(trace, text_room(&trace->buffer, room), prefix, 0, thread);
        at = step->count ? put_step(trace, at, step, &words)
                         : at - (prefix->complete - prefix->plain);
        *at++ = '\n';
        text_extend(&trace->buffer, at);
    }
    return words;
}

const struct trace_syntax trace_text_syntax = {
    .header = write_header,
    .label = append_label,
    .prefix = append_prefix,
    .line = write_line,
    .log = write_log,
};
