/* The generated round trip: for everything in the ISA tables, assemble(disassemble(x)) = x, for all
 * kinds of operands and all bounds; values beyond each bound are refused. roundtrip.c has the
 * commands, and the .test files run them with the tools. */
#ifndef TESTS_ROUNDTRIP_H
#define TESTS_ROUNDTRIP_H

#include "lib/isa.h"
#include <stdbool.h>
#include <stdio.h>

enum { OPERANDS = 16, VALUES = 4200 };

/* ---- values.c: which values of an operand are tried ---- */

struct values {
    size_t count;
    int64_t value[VALUES];
};

/* Returns the operand of the instruction that an operand of an alias becomes, which determines the
 * field and the range. In an instruction's own form it is the operand itself. NULL for operands
 * that only the assembler has (symbols, constants). */
const struct isa_operand *encoded_operand(const struct isa_form *form, unsigned index);
/* Collects bounds and their neighbors, every register, every enumerated value. */
void values_of(const struct isa_operand *operand, struct values *values);
/* Returns a value in the middle of the range; different for different `index`. */
int64_t plain_value(const struct isa_operand *operand, unsigned index);

/* ---- cases.c: lines of assembly with the words that they must make ---- */

struct word {
    uint64_t bits, mask; /* only the bits of the mask are compared */
    int length;
};

struct line {
    const struct isa_form *form;
    int64_t values[OPERANDS];
    bool omit;    /* leave optional operands out */
    bool numeric; /* registers by number */
};

enum { STEPS = 8 };

/* Calls `visit` for every line to test. Lines whose words are not known beforehand (`li` with a
 * large constant) come last, without words. */
typedef void line_visitor(const struct line *line, const struct word *words, unsigned word_count,
                          void *context);
void for_each_line(line_visitor *visit, void *context);

void write_line(FILE *stream, const struct line *line);
/* Writes one operand; `text` replaces it if it is not NULL. */
void write_line_with(FILE *stream, const struct line *line, unsigned operand, const char *text);
/* Does GNU as know the form, too: is it an instruction of the base ISA in a spelling that GNU as
 * accepts? */
bool is_base(const struct line *line);
/* Is the form never chosen where all extensions are enabled, since one of them has an instruction
 * of the same syntax? */
bool is_hidden(const struct isa_form *form);
/* Writes the line for an instruction with plain values. */
void plain_line(const struct isa_form *form, struct line *line);
/* Do the values satisfy the constraints of the instruction that the form makes? */
bool constraints_hold(const struct line *line);

/* ---- beyond.c ---- */

/* Writes files of bad lines into the directory, assembles each and checks the diagnostics. Returns
 * an exit status. */
int check_beyond(const char *tasm, const char *directory);

#endif
