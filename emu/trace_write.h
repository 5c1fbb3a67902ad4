/* What the three writers of trace.c share. Each appends one line per instruction to trace->buffer.
 * Internal to the trace.
 *
 * A program runs the same few instructions again and again, so most of a line was there before: its
 * head, all from the pc to the disassembly, is kept (trace_head.c), and only the values of the
 * effects are written anew, by the put_… functions below, straight into the buffer. */
#ifndef EMU_TRACE_WRITE_H
#define EMU_TRACE_WRITE_H

#include "emu/trace.h"
#include "lib/digits.h"

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

/* ---- values, straight into memory ---- */

enum { EFFECT_ROOM = 128 }; /* an effect with two numbers, but for the name of a register in it */

/* Where the effect that comes next is to be written. */
static inline char *trace_room(struct trace *trace)
{
    return text_room(&trace->buffer, trace->effect_room);
}

#endif
