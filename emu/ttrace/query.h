/* The questions that ttrace answers. Each prints to standard output, and returns false after a
 * diagnostic. */
#ifndef EMU_TTRACE_QUERY_H
#define EMU_TTRACE_QUERY_H

#include "emu/ttrace/search.h"
#include "lib/element_text.h"

/* What the third word of the command line asks for: PLACE[@N]. */
struct question {
    struct place place;
    uint64_t end; /* records before this one count */
    /* Of memory: the symbol or address with the indices of an element, and what is there. */
    const char *name;
    struct element_array array; /* its type is NULL if it is unknown */
};

/* Reads REGISTER, SYMBOL, SYMBOL:TYPE[DIMENSIONS] or ADDRESS, perhaps with indices and the forms of --print, and @N. Returns
 * false after a diagnostic. */
bool question_read(struct ttrace_tool *tool, const char *word, struct question *question);

/* Appends `SEQUENCE THREAD PC <SYMBOL+OFFSET> DISASSEMBLY`, without the thread if there is only
 * one, and the source line if it is known. */
void append_record(struct ttrace_tool *tool, struct text *text, const struct ttrace_record *record);
/* Appends an effect as the text format has it. */
void append_effect(struct text *text, const struct recorder *recorder, const struct effect *effect);

/* Appends ` = 1.5` for a store or a register of a float, from the record that wrote it. `type` is
 * that of the place, or NULL. Raw bits (search_is_raw) only have that one. */
void append_typed(struct text *text, const struct ttrace_record *record,
                  const struct effect *effect, const struct isa_element *type, bool is_raw);

bool query_who(struct ttrace_tool *tool);
bool query_reads(struct ttrace_tool *tool);
bool query_at(struct ttrace_tool *tool);
bool query_grep(struct ttrace_tool *tool);
bool query_view(struct ttrace_tool *tool);

#endif
