/* The three writers of trace.c, each one line per instruction at the end of trace->buffer. Internal
 * to the trace. */
#ifndef EMU_TRACE_WRITE_H
#define EMU_TRACE_WRITE_H

#include "emu/trace.h"

/* Version of the text and json formats, in their headers; tdiff refuses another one. */
#define TRACE_VERSION 1

void trace_text_header(struct trace *trace);
void trace_text_line(struct trace *trace, const struct trace_record *record);

void trace_json_header(struct trace *trace);
void trace_json_line(struct trace *trace, const struct trace_record *record);

/* The commit log of Spike holds what was committed: an instruction that trapped has no line
 * (false). */
bool trace_spike_line(struct trace *trace, const struct trace_record *record);

/* 0x and the digits of `value`, at least `digits` of them. */
void trace_hex(struct text *text, uint64_t value, unsigned digits);
/* Disassembly with a blank after the mnemonic, into trace->scratch. */
const char *trace_disassembly(struct trace *trace, const struct trace_record *record);
/* Symbol that `pc` belongs to, or NULL. */
const struct elf_symbol *trace_symbol(const struct trace *trace, uint64_t pc);
/* Is the effect to be shown? Writes to the hard-wired zero are not. */
bool trace_shows(const struct trace *trace, const struct effect *effect);
/* Digest of the program's file; 0 when there is none. */
uint64_t trace_program_digest(const struct trace *trace);

#endif
