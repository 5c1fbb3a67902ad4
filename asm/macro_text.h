/* The text of macros: reading the arguments of a call, and substituting them into a body. */
#ifndef ASM_MACRO_TEXT_H
#define ASM_MACRO_TEXT_H

#include "asm/input.h"
#include "lib/text.h"

struct span {
    const char *text;
    size_t length;
};

/* A position in the rest of a statement. */
struct reader {
    struct assembler *as;
    const struct statement *statement;
    const char *next, *end;
};

struct parameter {
    const char *name;
    size_t name_length;
    const char *value; /* default; or NULL */
    size_t value_length;
    bool required, rest;
};

/* The values of the names that a body uses. */
struct substitution {
    struct assembler *as;
    const struct parameter *parameters;
    const struct span *values;
    size_t count;
    unsigned long number;      /* \@ */
    bool is_macro;             /* else a repetition, where \@ and LOCAL have no meaning */
    const struct position *at; /* of the call */
};

void reader_skip_blanks(struct reader *reader);
/* Skips blanks, then the next byte if it is `c`; returns whether it is. */
bool reader_accept(struct reader *reader, char c);
/* Reads a name, which may be empty. */
struct span reader_name(struct reader *reader);
/* Reads an argument, up to the comma or blank that separates it from the next: its text, or the
 * contents of its quotes. After .altmacro it may also be <text> or the value of %expression. */
struct span reader_argument(struct reader *reader);
/* Reports an error at the next byte. */
__attribute__((format(printf, 2, 3))) void reader_complain(struct reader *reader,
                                                           const char *format, ...);

/* Appends the body to `out`, with its names replaced by their values. */
void macro_substitute(struct text *out, const struct body *body,
                      const struct substitution *substitution);

#endif
