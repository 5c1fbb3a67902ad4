/* The text of macros: arguments of a call, and names in a body replaced by them. */
#ifndef ASM_MACRO_TEXT_H
#define ASM_MACRO_TEXT_H

#include "asm/input.h"
#include "lib/text.h"

struct span {
    const char *text;
    size_t length;
};

/* Walks over the rest of a statement. */
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

/* What stands for what in a body. */
struct substitution {
    struct assembler *as;
    const struct parameter *parameters;
    const struct span *values;
    size_t count;
    unsigned long number;      /* \@ */
    bool is_macro;             /* \@ and LOCAL mean something */
    const struct position *at; /* of the call */
};

void reader_skip_blanks(struct reader *reader);
/* Steps over the next byte that is no blank, if it is `c`. */
bool reader_accept(struct reader *reader, char c);
/* A name, maybe empty. */
struct span reader_name(struct reader *reader);
/* An argument, up to a comma or a blank that separates it from the next: as it stands, or what is
 * in the quotes. After .altmacro also <text> and the value of %expression. */
struct span reader_argument(struct reader *reader);
/* An error at the next byte. */
__attribute__((format(printf, 2, 3))) void reader_complain(struct reader *reader,
                                                           const char *format, ...);

/* Appends the body to `out`. */
void macro_substitute(struct text *out, const struct body *body,
                      const struct substitution *substitution);

#endif
