/* What the three writers of trace.c share. Each appends one line per instruction to trace->buffer.
 * Internal to the trace.
 *
 * A program runs the same few instructions again and again, so most of a line was there before: its
 * head, all from the pc to the disassembly, is kept (trace_head.c), and only the values of the
 * effects are written anew, by the put_… functions below, straight into the buffer. */
#ifndef EMU_TRACE_WRITE_H
#define EMU_TRACE_WRITE_H

#include "emu/trace.h"

#include <string.h>

/* Version of the text and json formats, in their headers; tdiff refuses another one. */
#define TRACE_VERSION 1

/* The constant part of a line. */
struct trace_head {
    uint64_t pc, word; /* what it was made for, and the three below */
    uint8_t length, privilege;
    bool is_interrupt;
    uint32_t plain;    /* bytes in a line without effects */
    uint32_t complete; /* bytes, with those that lead to the effects */
    char *bytes;       /* from malloc; NULL: nothing was kept here yet */
};

/* Head of the record's line; valid until the next call. */
const struct trace_head *trace_head(struct trace *trace, const struct trace_record *record);
/* Forgets all heads. */
void trace_head_drop(struct trace *trace);

void trace_text_header(struct trace *trace);
void trace_text_line(struct trace *trace, const struct trace_record *record);

void trace_json_header(struct trace *trace);
void trace_json_line(struct trace *trace, const struct trace_record *record);

/* The commit log of Spike holds what was committed: an instruction that trapped has no line
 * (false). */
bool trace_spike_line(struct trace *trace, const struct trace_record *record);

/* Append a head; return how many bytes of it a line without effects has. */
size_t trace_text_head(struct trace *trace, const struct trace_record *record, struct text *text);
size_t trace_json_head(struct trace *trace, const struct trace_record *record, struct text *text);
size_t trace_spike_head(const struct trace_record *record, struct text *text);

/* 0x and the digits of `value`, at least `digits` of them. */
void trace_hex(struct text *text, uint64_t value, unsigned digits);
/* Disassembly with a blank after the mnemonic, into trace->scratch. */
const char *trace_disassembly(struct trace *trace, const struct trace_record *record);
/* Symbol that `pc` belongs to, or NULL. */
const struct elf_symbol *trace_symbol(const struct trace *trace, uint64_t pc);
/* Is the effect to be shown? Writes to the hard-wired zero are not. */
static inline bool trace_shows(const struct trace *trace, const struct effect *effect)
{
    if (effect->kind == EFFECT_X)
        return effect->number < trace->x->count && !(trace->x->zero && effect->number == 0);
    return effect->kind != EFFECT_F || effect->number < trace->f->count;
}
/* Digest of the program's file; 0 when there is none. */
uint64_t trace_program_digest(const struct trace *trace);

/* ---- values, straight into memory: each returns the end of what it wrote ---- */

enum {
    HEX_ROOM = 18,     /* bytes that put_hex may touch; put_digits two less */
    DECIMAL_ROOM = 20, /* digits of a number */
    EFFECT_ROOM = 128, /* an effect with two numbers, but for the name of a register in it */
};

/* Eight hexadecimal digits, the first in the lowest byte: each nibble gets a byte, the bytes are
 * put in order, and those above 9 move on from ':' to 'a'. */
static inline uint64_t hex_digits(uint32_t value)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t digits = value;

    digits = (digits << 16 | digits) & UINT64_C(0x0000ffff0000ffff);
    digits = (digits << 8 | digits) & UINT64_C(0x00ff00ff00ff00ff);
    digits = (digits << 4 | digits) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    digits = __builtin_bswap64(digits);
    return digits + '0' * ones + ((digits + 6 * ones) >> 4 & ones) * ('a' - '0' - 10);
}

/* The lowest `digits` (1 to 16) digits of the value. */
static inline char *put_digits(char *at, uint64_t value, unsigned digits)
{
    value <<= 64 - 4 * digits;
    const uint64_t high = hex_digits((uint32_t)(value >> 32)), low = hex_digits((uint32_t)value);
    memcpy(at, &high, sizeof high);
    memcpy(at + sizeof high, &low, sizeof low);
    return at + digits;
}

/* 0x and the digits of the value, at least `digits` of them. */
static inline char *put_hex(char *at, uint64_t value, unsigned digits)
{
    const unsigned needed = (67 - (unsigned)__builtin_clzll(value | 1)) / 4;

    memcpy(at, "0x", 2);
    return put_digits(at + 2, value, needed > digits ? needed : digits);
}

/* Decimal digits that end before `end`; returns where they begin. Two at a time: a division takes
 * longer than the rest. */
static inline char *put_decimal_before(char *end, uint64_t value)
{
    for (; value >= 100; value /= 100) {
        const unsigned pair = (unsigned)(value % 100);
        *--end = (char)('0' + pair % 10);
        *--end = (char)('0' + pair / 10);
    }
    *--end = (char)('0' + value % 10);
    if (value >= 10)
        *--end = (char)('0' + value / 10);
    return end;
}

/* Where the effect that comes next is to be written. */
static inline char *trace_room(struct trace *trace)
{
    return text_room(&trace->buffer, trace->effect_room);
}

static inline char *put_bytes(char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

/* Names are short: no call. */
static inline char *put_string(char *at, const char *string)
{
    while (*string)
        *at++ = *string++;
    return at;
}

#endif
