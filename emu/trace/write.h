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

enum {
    PREFIXES = 1 << 15, /* slots: enough for 64 KiB of code */
    LINES = 1 << 16,    /* slots for lines of steps */
    HEAD_PIECE = 96,    /* bytes of a head that are copied in any case */
    TAIL = 16,          /* bytes of the longest text after a value: " store8[0x", a label */
};

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

/* Allocates the empty tables of prefixes and lines. Out of memory ends the tool with a message. */
void trace_prefix_init(struct trace *trace);
/* Empties both tables. */
void trace_prefix_drop(struct trace *trace);
void trace_prefix_free(struct trace *trace);

/* The line of a step of a log: texts, and between them the values of its effects. */
struct trace_line {
    uint32_t place;             /* of the step: the key; 0: the slot is empty */
    uint32_t head;              /* length of the text before the first value */
    uint8_t values;             /* how many there are */
    uint8_t lengths[LOG_WORDS]; /* of the text after each value */
    char *bytes;                /* from malloc: the head, with room to be copied by put_head */
    char (*tails)[TAIL];        /* the texts after the values, in the same memory */
};

/* The parts of a line, while it is made. */
struct trace_parts {
    struct text text;
    size_t cuts[LOG_WORDS]; /* where the values go into the text */
    unsigned count;         /* of cuts */
};

/* Makes the line of the step at this place, in its slot. */
void trace_line_make(struct trace *trace, uint32_t place, const struct trace_parts *parts);
/* Empties the table when it is of steps that were forgotten since. */
void trace_lines_sync(struct trace *trace, const struct log_steps *steps);

/* Returns the slot for the line of the step at this place: its own when line->place == place. */
static inline struct trace_line *trace_line_slot(const struct trace *trace, uint32_t place)
{
    return &trace->lines[place % LINES];
}

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
    /* Appends the lines of `count` steps of a block, from `place` on. `first` is the record of the
     * first one without its pc and encoding. Returns the end of the words. NULL: line by line. */
    const uint64_t *(*log)(struct trace *trace, const struct log_steps *steps, uint32_t place,
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

/* Puts the hexadecimal digits of a value without leading zeros. The highest nibble that is not
 * zero is shifted to the top. */
static inline char *put_value(char *at, uint64_t value)
{
    unsigned highest = highest_bit(value);

    put_nibbles(at, value << (63 ^ (highest | 3)));
    return at + highest / 4 + 1;
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

/* The last characters of the number, as they are in memory: the last digit is in the highest byte.
 */
static inline uint64_t trace_count_end(const struct trace_count *count)
{
    uint64_t digits;

    memcpy(&digits, count->text + COUNT_END - sizeof digits, sizeof digits);
    return digits;
}

/* Sets the number, which is the next one, when only its last digit changes. Returns false
 * otherwise. */
static inline bool trace_count_up(uint64_t *digits)
{
    if (*digits >> 56 == '9')
        return false;
    *digits += UINT64_C(1) << 56;
    return true;
}

/* Sets the number of which these are the last characters. The others are as they were. */
static inline void trace_count_set(struct trace_count *count, uint64_t value, uint64_t digits)
{
    count->value = value;
    memcpy(count->text + COUNT_END - sizeof digits, &digits, sizeof digits);
}

/* Sets the number. Usually only the last digit changes. */
static inline void trace_count_to(struct trace_count *count, uint64_t value)
{
    char *const end = count->text + COUNT_END;
    uint64_t digits = trace_count_end(count);

    if (value == count->value + 1 && count->length && trace_count_up(&digits)) {
        trace_count_set(count, value, digits);
        return;
    }
    memset(count->text, ' ', COUNT_END);
    count->length = (unsigned)(end - put_decimal_before(end, value));
    count->value = value;
}

#endif
