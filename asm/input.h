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
    struct source *spare; /* memory for more sources */
    /* Output of macros, repetitions and includes so far: limited. */
    unsigned long expanded_bytes, expanded_lines;
    struct text copy; /* the statement being read */
    const struct position *at,
        *kept; /* of the last statement; its copy by position_keep, or NULL */
};

/* Opens the file at `path` as the next source. Messages and debug information call it `name`, so
 * that an object does not depend on where the tools are installed. `from` is the .include, or NULL
 * for a file of the command line. False after a diagnostic. */
bool input_push_file(struct assembler *as, const char *name, const char *path,
                     const struct position *from);
/* Makes `text` the next source, to be read `count` times. Its lines are numbered as those of
 * `origin`; `period` is that of struct source. */
void input_push_text(struct assembler *as, enum source_kind kind, const struct body *origin,
                     const char *text, size_t length, unsigned period, unsigned long count,
                     const struct position *from, const char *from_what);
/* Reads the next statement; false at the end of all sources. */
bool input_next(struct assembler *as, struct statement *statement);
/* Reads, as text, the statements up to the one that closes the block that the last statement
 * opened. `opens` and `closes` judge a statement by its first word. At the end of the source
 * reports that `what` at `opener` is not closed, and returns false. */
bool input_capture(struct assembler *as, const struct position *opener, const char *what,
                   bool (*opens)(const char *word), bool (*closes)(const char *word),
                   struct body *body);
/* Ends the innermost macro expansion (.exitm); false if there is none. */
bool input_exit_macro(struct assembler *as);
/* Numbers the next line of the source so, for messages. */
void input_set_line(struct assembler *as, unsigned number);
/* Ends all sources (.end). */
void input_stop(struct assembler *as);
#endif
