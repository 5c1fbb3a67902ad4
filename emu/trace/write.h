/* Definitions that the three formats share. Internal to trace/.
 *
 * Most instructions of a run were executed before, and so most of a line was written before. The
 * prefix of a line, from the pc to the disassembly, is kept (prefix.c). So are the names of
 * registers (labels) and most digits of the sequence number. Only the values of effects are
 * converted again. Everything is written straight into trace->buffer, in which room for the whole
 * line is reserved first. Rare parts are written with text.h in between. */
#ifndef EMU_TRACE_WRITE_H
#define EMU_TRACE_WRITE_H

#include "emu/trace/trace.h"

/* The part of a line that is always the same for an instruction. */
struct trace_prefix {
    uint64_t pc, word; /* the key, with the three members below */
    uint8_t length, privilege;
    bool is_interrupt;
    uint32_t plain;    /* length in a line without effects */
    uint32_t complete; /* length in a line with effects; PIECE more bytes are allocated */
    char *bytes;       /* from malloc; NULL: the slot is empty */
};

enum { PREFIXES = 1 << 15 }; /* slots: enough for 64 KiB of code */

/* Makes the prefix of the record's line in the slot `prefix`. */
void trace_prefix_make(struct trace *trace, struct trace_prefix *prefix,
                       const struct trace_record *record);

/* Returns the prefix of the record's line, which is valid until the next call. */
static inline const struct trace_prefix *trace_prefix(struct trace *trace,
                                                      const struct trace_record *record)
{
    struct trace_prefix *prefix = &trace->prefixes[record->pc / 2 % PREFIXES];

    if (prefix->pc != record->pc || prefix->word != record->word ||
        prefix->length != record->length || prefix->privilege != record->privilege ||
        prefix->is_interrupt != record->is_interrupt || !prefix->bytes)
        trace_prefix_make(trace, prefix, record);
    return prefix;
}

/* Allocates the empty table. Out of memory ends the tool with a message. */
void trace_prefix_init(struct trace *trace);
/* Empties the table. */
void trace_prefix_drop(struct trace *trace);
void trace_prefix_free(struct trace *trace);

/* The functions of a format. */
struct trace_syntax {
    /* Appends the header to trace->buffer. NULL: the format has none. */
    void (*header)(struct trace *trace);
    /* Appends the text before the digits of the value of a register. */
    void (*label)(struct text *text, const struct isa_register_file *file, unsigned number);
    /* Appends the prefix of the record's line. Returns its length in a line without effects. */
    size_t (*prefix)(struct trace *trace, const struct trace_record *record, struct text *text);
    /* Appends the record's line to trace->buffer. Returns false when the format has no line for it:
     * Spike's log has only committed instructions, so it omits one that trapped. */
    bool (*line)(struct trace *trace, const struct trace_record *record);
    /* Appends the lines of `count` steps of a block, of which `first` is the first one without its
     * pc and encoding. Returns the end of the words. NULL: line by line. */
    const uint64_t *(*log)(struct trace *trace, const struct log_step *step,
                           const struct trace_record *first, uint64_t count, const uint64_t *words);
    /* Writes what is still to be written. NULL: nothing. */
    void (*end)(struct trace *trace);
};
extern const struct trace_syntax trace_text_syntax, trace_json_syntax, trace_spike_syntax,
    trace_riscv_dv_syntax, trace_rvvi_syntax, trace_lossless_syntax;

/* Returns the name of the thread of this number; NULL for 0. */
const char *trace_thread(struct trace *trace, unsigned number);
/* Appends 0x and the digits of `value`, at least `digits` of them. */
void trace_hex(struct text *text, uint64_t value, unsigned digits);
/* Returns the disassembly with a space after the mnemonic, in trace->scratch. */
const char *trace_disassembly(struct trace *trace, const struct trace_record *record);
/* Returns the symbol that contains `pc`, or NULL. */
const struct elf_symbol *trace_symbol(const struct trace *trace, uint64_t pc);
/* Returns the digest of the program's file; 0 when there is none. */
uint64_t trace_program_digest(const struct trace *trace);

/* ---- values, written straight into the buffer ---- */

enum {
    EFFECT_ROOM = 128, /* an effect with two numbers, without the name of a register, and without
                          the digits of a value of more than 64 bits */
    LINE_ROOM = 256,   /* what comes before the prefix, in it for a thread, and after the effects */
};

/* Returns the end of the buffer, with room for all effects, the end of the line, and `more` bytes.
 */
static inline char *trace_room(struct trace *trace, const struct recorder *recorder, size_t more)
{
    size_t effects = recorder ? recorder->count : 0;

    return text_room(&trace->buffer, LINE_ROOM + more + effects * trace->effect_room);
}

/* Returns the label of a register effect. */
static inline const struct trace_label *trace_label(const struct trace *trace,
                                                    const struct effect *effect)
{
    return &trace->labels[effect->file][effect->number];
}

static inline bool trace_is_register(const struct effect *effect)
{
    return effect->kind == EFFECT_REGISTER;
}

/* Is the effect shown? Writes to registers of a file that the format does not have are not. */
static inline bool trace_shows(const struct trace *trace, const struct effect *effect)
{
    return !trace_is_register(effect) || trace_label(trace, effect)->length;
}

static inline char *put_label(char *at, const struct trace_label *label)
{
    memcpy(at, label, sizeof *label);
    return at + label->length;
}

/* Puts the digits of a value without leading zeros. */
static inline char *put_value(char *at, uint64_t value)
{
    return put_digits(at, value, hex_length(value));
}

/* Puts the digits of the value of a register. */
static inline char *put_register(char *at, const struct effect *effect,
                                 const struct recorder *recorder)
{
    unsigned count;

    if (__builtin_expect(effect->length == 0, 1))
        return put_value(at, effect->value);
    const uint64_t *words = recorder_words(recorder, effect, &count);
    return put_words(at, words, count);
}

/* Sets the number. Usually only the last digit changes. */
static inline void trace_count_to(struct trace_count *count, uint64_t value)
{
    char *const last = &count->text[COUNT_END - 1];

    if (value == count->value + 1 && count->length && *last != '9') {
        ++*last;
    } else {
        memset(count->text, ' ', COUNT_END);
        count->length = (unsigned)(last + 1 - put_decimal_before(last + 1, value));
    }
    count->value = value;
}

#endif
