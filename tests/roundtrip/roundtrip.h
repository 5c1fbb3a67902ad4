/* The generated round trip: for everything in the ISA tables, assemble(disassemble(x)) = x, at all
 * operand kinds and bounds, and one beyond each bound is refused. roundtrip.c has the commands; the
 * .test files run them with the tools between. */
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

/* What stands for the operand of an alias in the instruction it expands to: the field, and so the
 * range; the operand itself in an instruction's own form. NULL for operands that only the assembler
 * has (symbols, constants). */
const struct isa_operand *encoded_operand(const struct isa_form *form, unsigned index);
/* Bounds and their neighbors, every register, every enumerated value. */
void values_of(const struct isa_operand *operand, struct values *values);
/* A value in the middle; different for different `index`. */
int64_t plain_value(const struct isa_operand *operand, unsigned index);

/* ---- cases.c: lines of assembly with the words that they must make ---- */

struct word {
    uint64_t bits, mask; /* compared are the bits of the mask */
    int length;
};

struct line {
    const struct isa_form *form;
    int64_t values[OPERANDS];
    bool omit;    /* leave optional operands out */
    bool numeric; /* registers by number */
};

enum { STEPS = 8 };

/* Calls `visit` for every line that is to be tried. Lines whose words are not known beforehand
 * (`li` with a large constant) come last, with no words. */
typedef void line_visitor(const struct line *line, const struct word *words, unsigned word_count,
                          void *context);
void for_each_line(line_visitor *visit, void *context);

void write_line(FILE *stream, const struct line *line);
/* One operand; `text` replaces it when not NULL. */
void write_line_with(FILE *stream, const struct line *line, unsigned operand, const char *text);
/* Is it one that GNU as knows, too: an instruction of the base ISA in a spelling that it takes? */
bool is_base(const struct line *line);
/* The line for an instruction with plain values. */
void plain_line(const struct isa_form *form, struct line *line);
/* Do the values fulfill the constraints of the instruction that the form makes? */
bool constraints_hold(const struct line *line);

/* ---- beyond.c ---- */

/* Writes files of bad lines into the directory, assembles each and checks the diagnostics. Exit
 * status. */
int check_beyond(const char *tasm, const char *directory);

#endif
