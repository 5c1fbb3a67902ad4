/* Diagnostics of all tools: file:line:col: error: message, the source line, and a caret as wide as
 * the token.
 *
 * A tool has one `struct diag` in its context. An error is printed at once (to `stream`, stderr by
 * default) and counted. A phase continues after an error, and the tool stops at the end of the
 * phase (diag_failed). After `limit` errors (50) further ones are not shown; one line says so, and
 * diag_full() tells loops to stop. What the rounds of a repetition repeat is shown once, and 100
 * repeated errors count as one. On a terminal, kinds and carets are colored; the variable NO_COLOR
 * and the option --color change that. Only mistakes of the user are reported here; a bug of the
 * tool aborts (diag_bug). */
#ifndef LIB_DIAG_H
#define LIB_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A source text as it was read. Positions point into it. */
struct diag_file {
    const char *name;  /* as the user gave it */
    const char *bytes; /* may be NULL: then no source line is shown */
    size_t length;
};

/* A place in a source text. line and column count from 1; 0 means unknown. `length` is the width of
 * the caret in bytes. */
struct position {
    const struct diag_file *file; /* text that holds the line; may be NULL */
    const char *name; /* overrides file->name in the message (cpp line markers); may be NULL */
    unsigned line;    /* as printed */
    unsigned column;
    unsigned length;
    unsigned
        file_line; /* line in file->bytes, where a line marker changed `line`; 0: same as line */
    const struct position *from; /* where this text was expanded or included from; may be NULL */
    const char *from_what;       /* "in expansion of macro 'x'", "included" */
};

/* DIAG_COLOR_AUTO: on a terminal that has colors, unless NO_COLOR is set (no-color.org). */
enum diag_color { DIAG_COLOR_AUTO, DIAG_COLOR_YES, DIAG_COLOR_NO };

struct diag {
    const char *tool; /* "tasm" */
    enum diag_color color;
    FILE *stream;                     /* stderr when NULL */
    unsigned errors, warnings, limit; /* limit 0: 50 */
    unsigned repeated;                /* of the errors */
    uint64_t shown[64];               /* hashes of the last messages about expanded text */
    unsigned shown_count;             /* so far */
    bool fatal_warnings, no_warnings;
    bool quiet;  /* errors and warnings are counted as errors, and not printed */
    bool hidden; /* the last error or warning was not shown, so its notes are not shown either */
};

/* `at` may be NULL: then the line is `tool: error: …`. */
void diag_error(struct diag *diag, const struct position *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *diag, const struct position *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a note that belongs to the last error or warning, for example another place ("first
 * defined here"). Notes are not counted. */
void diag_note(struct diag *diag, const struct position *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool diag_failed(const struct diag *diag);
bool diag_full(const struct diag *diag);

/* Reports a bug in the tool itself and aborts. */
_Noreturn void diag_bug(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define BUG(...) diag_bug(__FILE__, __LINE__, __VA_ARGS__)
/* Reports a mistake of the ISA description that shows only when a program runs, and exits with
 * status 1: its author is the user. */
_Noreturn void diag_description_mistake(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* For "did you mean": keeps the candidates nearest to `word` by edits (insert, delete, replace,
 * swap), best first. Call suggest_add() for each candidate, whose pointer is kept, then
 * suggest_text(), which returns "'a', 'b' or 'c'", or NULL if no candidate is near. */
struct suggestion {
    const char *word;
    const char *best[3];
    unsigned distance[3];
    unsigned count;
    char text[256];
};
void suggest_init(struct suggestion *suggestion, const char *word);
void suggest_add(struct suggestion *suggestion, const char *candidate);
const char *suggest_text(struct suggestion *suggestion);

#endif
