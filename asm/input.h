/* Where statements come from: files and expansions, a stack of sources.
 *
 * A statement is what stands between newlines or `;`, with comments blanked out so that columns
 * stay true. Each carries its position with the chain of macros and includes it came through
 * (position.from). Text and position live until the next statement of the top loop is read. */
#ifndef ASM_INPUT_H
#define ASM_INPUT_H

#include "lib/diag.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>

struct assembler;

struct statement {
    char *text; /* a NUL follows, and two bytes more: flex works in place */
    size_t length;
    size_t word_offset, word_length; /* first word behind the labels; length 0: there is none */
    struct word *word;               /* that, if it is known already; or NULL */
    struct position *at;             /* of the first byte of text */
};

/* Lines kept for later: a macro's or a repetition's body. */
struct body {
    const char *text;
    size_t length;
    const char *name; /* file, as printed */
    unsigned line;    /* of its first line, as printed */
};

enum source_kind { SOURCE_FILE, SOURCE_MACRO, SOURCE_REPEAT };

struct source {
    enum source_kind kind;
    const struct diag_file *text;
    const char *next, *end;
    const char *line_start;      /* of the line that `next` is in */
    unsigned file_line;          /* line of `next` in the text, from 1 */
    unsigned statement_line;     /* line of the statement last read */
    const char *name;            /* as printed where a line marker changed it; or NULL */
    long line_shift;             /* printed line = file_line + line_shift */
    unsigned period;             /* lines of one iteration when the text holds several; 0: one */
    unsigned long repeats;       /* how often to read the text again */
    const struct position *from; /* where it was included or expanded; or NULL */
    const char *from_what;
    size_t condition_depth; /* .if open when it began */
    bool has_nul;           /* there is a NUL in the text */
    unsigned depth;         /* sources below */
    struct source *below;
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
/* A position that outlives the statement; the same one for all that ask while it is the last one
 * read. NULL for NULL. */
const struct position *position_keep(struct assembler *as, const struct position *at);
/* A lasting copy. */
const struct position *position_new(struct assembler *as, struct position at);
/* Position of `length` bytes from byte `offset` of a statement. */
struct position statement_place(const struct statement *statement, size_t offset, size_t length);

/* Finds the first word of a statement, in small letters. */
void statement_prepare(struct assembler *as, struct statement *statement);
/* The same of one that was not read from a source: its letters stay. */
void statement_find_word(struct statement *statement);

#endif
