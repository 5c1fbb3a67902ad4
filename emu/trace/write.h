/* What the three writers of trace.c share. Each appends one line per instruction to trace->buffer.
 * Internal to the trace.
 *
 * A program runs the same few instructions again and again, so most of a line was there before: its
 * head, all from the pc to the disassembly, is kept (head.c), so are the names of registers
 * (labels) and most digits of the sequence number. Only the values of the effects are made anew.
 * All is put straight into the buffer, in which there is room for the whole line before it begins;
 * what is seldom written uses text.h in between. */
#ifndef EMU_TRACE_WRITE_H
#define EMU_TRACE_WRITE_H

#include "emu/trace/trace.h"

/* The constant part of a line. */
struct trace_prefix {
    uint64_t pc, word; /* what it was made for, and the three below */
    uint8_t length, privilege;
    bool is_interrupt;
    uint32_t plain;    /* bytes in a line without effects */
    uint32_t complete; /* bytes, with those that lead to the effects; for put_pieces */
    char *bytes;       /* from malloc; NULL: nothing was kept here yet */
};

enum { PREFIXES = 1 << 15 }; /* places for them: instructions of 64 KiB of code that runs */

/* Makes the head of the record's line, in its place. */
void trace_prefix_make(struct trace *trace, struct trace_prefix *prefix,
                       const struct trace_record *record);

/* Head of the record's line; valid until the next call. */
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

/* No heads yet. Out of memory ends the tool with a message. */
void trace_prefix_init(struct trace *trace);
/* Forgets all heads. */
void trace_prefix_drop(struct trace *trace);
void trace_prefix_free(struct trace *trace);

/* How a format is written. */
struct trace_syntax {
    /* Appends the header to trace->buffer. NULL: the format has none. */
    void (*header)(struct trace *trace);
    /* Appends what comes before the digits of the value of a register. */
    void (*label)(struct text *text, const struct isa_register_file *file, unsigned number);
    /* Appends the prefix of the record's line. Returns how many bytes of it a line without effects
     * has. */
    size_t (*prefix)(struct trace *trace, const struct trace_record *record, struct text *text);
    /* Appends the record's line to trace->buffer. Returns false when the format has no line for it:
     * Spike's log holds what was committed, not an instruction that trapped. */
    bool (*line)(struct trace *trace, const struct trace_record *record);
};
extern const struct trace_syntax trace_text_syntax, trace_json_syntax, trace_spike_syntax;

/* 0x and the digits of `value`, at least `digits` of them. */
void trace_hex(struct text *text, uint64_t value, unsigned digits);
/* Disassembly with a blank after the mnemonic, into trace->scratch. */
const char *trace_disassembly(struct trace *trace, const struct trace_record *record);
/* Symbol that `pc` belongs to, or NULL. */
const struct elf_symbol *trace_symbol(const struct trace *trace, uint64_t pc);
/* Digest of the program's file; 0 when there is none. */
uint64_t trace_program_digest(const struct trace *trace);

/* ---- values, straight into memory ---- */

enum {
    EFFECT_ROOM = 128, /* an effect with two numbers, but for the name of a register in it */
    LINE_ROOM = 256,   /* what stands before the head and behind the effects */
};

/* Where the line goes on, with room for all of its effects, its end, and `more` bytes. */
static inline char *trace_room(struct trace *trace, const struct recorder *recorder, size_t more)
{
    size_t effects = recorder ? recorder->count : 0;

    return text_room(&trace->buffer, LINE_ROOM + more + effects * trace->effect_room);
}

/* Of a register. */
static inline const struct trace_label *trace_label(const struct trace *trace,
                                                    const struct effect *effect)
{
    static const struct trace_label not_shown;

    return effect->number < TRACE_LABELS ? &trace->labels[effect->kind == EFFECT_F][effect->number]
                                         : &not_shown;
}

static inline bool trace_is_register(const struct effect *effect)
{
    return effect->kind == EFFECT_X || effect->kind == EFFECT_F;
}

/* Is the effect to be shown? Writes to the hard-wired zero are not. */
static inline bool trace_shows(const struct trace *trace, const struct effect *effect)
{
    return !trace_is_register(effect) || trace_label(trace, effect)->length;
}

static inline char *put_label(char *at, const struct trace_label *label)
{
    memcpy(at, label, sizeof *label);
    return at + label->length;
}

/* Digits of a value, as few as it has. */
static inline char *put_value(char *at, uint64_t value)
{
    return put_digits(at, value, hex_length(value));
}

/* Mostly the number is one more, and only its last digit another one. */
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
