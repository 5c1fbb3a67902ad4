/* The stack of sources that statements are read from: files and expansions. */
#ifndef ASM_INPUT_H
#define ASM_INPUT_H

#include "asm/cut.h"
#include "lib/diag.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>

struct assembler;

/* Lines kept for later: a macro's or a repetition's body. */
struct body {
    const char *text;
    size_t length;
    const char *name; /* file, as printed */
    unsigned line;    /* of its first line, as printed */
};

struct input {
    struct source *top;
    /* What macros, repetitions and includes have produced, against runaways. */
    unsigned long expanded_bytes, expanded_lines;
    struct text copy; /* the statement being read */
    const struct position *at,
        *kept; /* of the last statement read; and its lasting copy, or NULL */
};

/* Opens the file `name` as the next source; `from` is the .include, or NULL for a file of the
 * command line. */
bool input_push_file(struct assembler *as, const char *name, const struct position *from);
/* Reads `text` next, as lines of `origin` (period as in struct source), `count` times. */
void input_push_text(struct assembler *as, enum source_kind kind, const struct body *origin,
                     const char *text, size_t length, unsigned period, unsigned long count,
                     const struct position *from, const char *from_what);
/* The next statement; false when all sources are read. */
bool input_next(struct assembler *as, struct statement *statement);
/* The statements up to the one that closes the block just opened, as text. `opens` and `closes`
 * look at the first word of a statement; at the end of the source it reports that `what` at
 * `opener` is not closed, and returns false. */
bool input_capture(struct assembler *as, const struct position *opener, const char *what,
                   bool (*opens)(const char *word), bool (*closes)(const char *word),
                   struct body *body);
/* Ends the innermost macro expansion (.exitm); false if there is none. */
bool input_exit_macro(struct assembler *as);
/* The next line of the source being read is printed as that of this number. */
void input_set_line(struct assembler *as, unsigned number);
/* Ends everything (.end). */
void input_stop(struct assembler *as);
#endif
