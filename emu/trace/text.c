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
    char *at = put_literal(text_room(text, EFFECT_ROOM), "=0x");
    text_extend(text, put_value(at, effect->value));
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
static char *put_threaded(struct trace *trace, char *at, const char *bytes, size_t length,
                          uint64_t turn, const char *thread)
{
    unsigned columns = trace->sequence_columns;
    char *name = at + columns;

    *name++ = ' ';
    if (trace->program.workers) {
        struct trace_count *count = &trace->turn;
        trace_count_to(count, turn);
        unsigned more = count->length > TURN_COLUMNS ? count->length - TURN_COLUMNS : 0;
        memcpy(name, count->text + COUNT_END - TURN_COLUMNS - more, more);
        name += more;
        memcpy(name, count->text + COUNT_END - TURN_COLUMNS, TURN_COLUMNS);
        name += TURN_COLUMNS;
        *name++ = ' ';
    }
    at = put_string(name, thread);
    while (at < name + THREAD_COLUMNS)
        *at++ = ' ';
    return put_pieces(at, bytes + columns, length - columns);
}

/* Puts the sequence number, of which these are the last characters, into the first columns. */
static inline void put_sequence(const struct trace *trace, char *at, uint64_t digits)
{
    unsigned columns = trace->sequence_columns, more = columns - SEQUENCE_COLUMNS;

    if (__builtin_expect(more != 0, 0))
        memcpy(at, trace->count.text + COUNT_END - columns, more);
    memcpy(at + more, &digits, sizeof digits);
}

/* Puts the prefix with the sequence number. */
static char *put_prefix(struct trace *trace, char *at, const struct trace_prefix *prefix,
                        uint64_t turn, const char *thread)
{
    char *const end = thread
                          ? put_threaded(trace, at, prefix->bytes, prefix->complete, turn, thread)
                          : put_pieces(at, prefix->bytes, prefix->complete);

    put_sequence(trace, at, trace_count_end(&trace->count));
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

/* Notes that a value goes here. */
static void cut(struct trace_parts *parts)
{
    parts->cuts[parts->count++] = parts->text.length;
}

static void append_effect(const struct trace *trace, struct trace_parts *parts, uint64_t shape)
{
    if (ttrace_shape_kind(shape) == EFFECT_REGISTER) {
        const struct trace_label *label =
            &trace->labels[ttrace_shape_file(shape)][ttrace_shape_number(shape)];
        text_append_bytes(&parts->text, label->bytes, label->length);
    } else {
        text_append(&parts->text, ttrace_shape_kind(shape) == EFFECT_LOAD ? " load" : " store");
        text_format(&parts->text, "%u[0x", ttrace_shape_size(shape));
        cut(parts);
        text_append(&parts->text, "]=0x");
    }
    cut(parts);
}

/* Makes the line of the step at this place, in a run with this first record. */
static __attribute__((noinline)) void make_line(struct trace *trace, uint32_t place,
                                                const struct log_step *step,
                                                const struct trace_record *first)
{
    struct trace_parts parts = {.text = TEXT_INIT};
    struct trace_record record = *first;

    record.pc = step->pc;
    record.word = step->word;
    record.length = step->length;
    const struct trace_prefix *prefix = trace_prefix(trace, &record);
    text_append_bytes(&parts.text, prefix->bytes, step->count ? prefix->complete : prefix->plain);
    for (unsigned i = 0; i < step->count; i++)
        append_effect(trace, &parts, step->shapes[i]);
    text_append_char(&parts.text, '\n');
    trace_line_make(trace, place, &parts);
    text_free(&parts.text);
}

/* Puts the head. Its first part, which is most of it, is copied without a loop. */
static inline char *put_head(char *at, const struct trace_line *line)
{
    const char *bytes = line->bytes;
    size_t length = line->head;

    memcpy(at, bytes, HEAD_PIECE);
    for (size_t done = HEAD_PIECE; done < length; done += PIECE)
        memcpy(at + done, bytes + done, PIECE);
    return at + length;
}

/* Puts the values and the texts after them. Returns the end of the words in *words. */
static inline char *put_values(char *at, const struct trace_line *line, const uint64_t **words)
{
    const uint64_t *value = *words;
    const char(*tail)[TAIL] = line->tails;

    for (unsigned count = line->values, i = 0; i < count; i++, tail++) {
        unsigned length = line->lengths[i];
        at = put_value(at, *value++);
        memcpy(at, tail, TAIL);
        at += length;
    }
    *words = value;
    return at;
}

/* The same as write_line for each step, without a recorder in between. */
static const uint64_t *write_log(struct trace *trace, const struct log_steps *steps, uint32_t place,
                                 const struct trace_record *first, uint64_t count,
                                 const uint64_t *words)
{
    enum { ROOM = LINE_ROOM + HEAD_PIECE + LOG_WORDS * (16 + TAIL) };
    const char *thread = first->thread ? trace_thread(trace, first->thread) : NULL;
    uint64_t sequence = first->sequence, end = sequence + count;

    if (count == 0) /* the log was begun anew after the last instruction of a block */
        return words;
    begin_line(trace, sequence);
    uint64_t digits = trace_count_end(&trace->count);
    char *at = text_room(&trace->buffer, ROOM);
    for (;;) {
        const struct trace_line *line = trace_line_slot(trace, place);
        if (__builtin_expect(line->place != place, 0))
            make_line(trace, place, &steps->items[place], first);
        char *begin = at = text_room_at(&trace->buffer, at, ROOM + line->head);
        at = __builtin_expect(thread != NULL, 0)
                 ? put_threaded(trace, at, line->bytes, line->head, first->turn, thread)
                 : put_head(at, line);
        put_sequence(trace, begin, digits);
        at = put_values(at, line, &words);
        place++;
        if (++sequence == end)
            break;
        if (!trace_count_up(&digits)) {
            begin_line(trace, sequence);
            digits = trace_count_end(&trace->count);
        }
    }
    trace_count_set(&trace->count, sequence - 1, digits);
    text_extend(&trace->buffer, at);
    return words;
}

const struct trace_syntax trace_text_syntax = {
    .header = write_header,
    .label = append_label,
    .prefix = append_prefix,
    .line = write_line,
    .log = write_log,
};
