/* Statements, and the sources that they are cut out of.
 *
 * A statement is the text between two separators: newlines or `;`. Its comments are blanked, so
 * that columns stay right. Its position has the chain of macros and includes that it came through
 * (position.from). Text and position live in the scratch arena: the loop of tasm_read releases them
 * before it reads the next statement. */
#ifndef ASM_CUT_H
#define ASM_CUT_H

#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>

struct assembler;

struct statement {
    char *text; /* in the source, which may not be written; after statement_own in a copy, which
                   is followed by a NUL and two more bytes, as flex works in place */
    size_t length;
    size_t word_offset, word_length; /* first word after the labels; length 0: none */
    struct word *word;               /* the same in the table of words; NULL: not in it */
    struct position *at;             /* of the first byte of text */
};

enum source_kind { SOURCE_FILE, SOURCE_MACRO, SOURCE_REPEAT };

struct source {
    enum source_kind kind;
    const struct diag_file *text;
    const char *next, *end;
    const char *line_start;        /* of the line that `next` is in */
    const char *plain, *plain_end; /* some plain text, perhaps that at `next`; or NULL */
    unsigned file_line;            /* line of `next` in the text, from 1 */
    unsigned statement_line;       /* line of the last statement */
    const char *name;              /* file name that a line marker has set; or NULL */
    long line_shift;               /* printed line = file_line + line_shift */
    unsigned period;               /* lines of an iteration, if the text has several; else 0 */
    unsigned long repeats;         /* how often to read the text once more */
    const struct position *from;   /* where it was included or expanded; or NULL */
    const char *from_what;
    size_t condition_depth; /* number of .if that were open at its start */
    bool has_nul;           /* the text contains a NUL */
    bool has_lines;         /* it ends with a newline */
    bool mapped;            /* a file that is mapped, not copied */
    unsigned depth;         /* number of sources below */
    struct source *below;
};

/* Classes of bytes, for finding the end of a statement and its words. CUT_STOPS: the byte may end
 * plain text, or begin a comment, a string or a character. */
enum { CUT_STOPS = 1, CUT_IN_WORD = 2, CUT_BLANK = 4 };
extern const unsigned char cut_classes[256];
static inline unsigned cut_class(char c)
{
    return cut_classes[(unsigned char)c];
}

/* Returns the end of the blanks at the text. */
static inline const char *cut_blanks(const char *text)
{
    while (cut_class(*text) & CUT_BLANK)
        text++;
    return text;
}

/* Skips separators, blanks and comments between statements; applies line markers. */
void source_skip(struct assembler *as, struct source *source);
/* Cuts out the next statement that is not empty; false at the end of the source. */
bool source_next(struct assembler *as, struct source *source, struct statement *statement);
/* Returns the plain text that comes next, probably the next statement, and its length. */
const char *source_peek(struct source *source, size_t *length);
/* Returns the number, as printed, of the line that is read next. */
unsigned source_line(const struct source *source);
/* Returns the position, without a length, of a byte of that line. */
struct position source_place(const struct source *source, const char *start);
/* Returns the end of the plain text: text without comments, strings, characters and separators. */
const char *cut_plain(const char *text, const char *end);

/* Makes a statement of the text from `start`, which remains in the source. The caller sets its
 * length. */
void statement_begin(struct assembler *as, struct source *source, const char *start,
                     struct statement *statement);
/* Sets the length of the statement, without blanks before `end`. */
void statement_end(struct statement *statement, const char *end);
/* Gives the statement a copy of its text. All that follows needs it. */
void statement_own(struct assembler *as, struct statement *statement);
/* Finds the first word of a statement, changes it to lower case, and looks it up. */
void statement_prepare(struct assembler *as, struct statement *statement);
/* Only finds the first word: for a statement that was not read from a source. */
void statement_find_word(struct statement *statement);
/* Returns the position of `length` bytes from byte `offset` of the statement; a length of 0 counts
 * as 1. */
struct position statement_place(const struct statement *statement, size_t offset, size_t length);

/* Returns a copy of the position that lives until the end of the run. */
const struct position *position_new(struct assembler *as, struct position at);
/* The same for the position of the statement that was read last, with one copy for all callers;
 * any other position is returned as it is, and NULL for NULL. */
const struct position *position_keep(struct assembler *as, const struct position *at);

#endif
