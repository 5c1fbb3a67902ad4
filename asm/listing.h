/* The listing (-a): source lines with the addresses and bytes that they made.
 *
 * While statements are read, each leaves a row: the line of a file it belongs to, and the places in
 * a section before and after it. When everything is resolved, rows and the lines between them
 * become text. Form and columns are GNU as's ("Enable Listings" in its manual). */
#ifndef ASM_LISTING_H
#define ASM_LISTING_H

#include "asm/input.h"
#include "lib/text.h"
#include <stdint.h>

struct assembler;
struct fragment;
struct options;

struct listing_row {
    const struct source *source; /* the file that is read, below macros and repetitions */
    unsigned line;               /* of its text, from 1; 0: the file begins */
    const char *expansion;       /* statement of a macro or repetition; or NULL */
    unsigned depth;              /* how many of those it is in */
    const struct fragment *fragment, *end_fragment;
    uint64_t offset, end_offset; /* in them: before the statement, and behind it */
    bool left_out;               /* stands in a branch of .if that is not assembled */
    bool leaves_out;             /* what follows does */
    bool hidden;                 /* by .nolist; so is what follows, up to the next row */
    bool debugging;              /* .file with a number, .loc */
    bool ejects;                 /* .eject: a page ends here */
};

struct listing {
    bool wanted, pages;                             /* -a; not -an */
    bool lines, symbols, general;                   /* -al, -as, -ag */
    bool no_conditionals, no_debugging, expansions; /* -ac, -ad, -am */
    const char *file;                               /* -a=FILE; NULL: standard output */
    const char *command;                            /* words of the command line, for -ag */
    struct listing_row *rows;
    size_t count, capacity;
    int level; /* .list and .nolist: listed where it is not negative */
    const char *title, *subtitle;
    unsigned page_lines, page_columns;
};

/* The letters and =FILE behind -a; false after a diagnostic. */
bool listing_option(struct assembler *as, const char *letters);
/* A file of the source begins. */
void listing_file(struct assembler *as);
/* Around each statement that is read, those that are left out too. */
void listing_begin(struct assembler *as, const struct statement *statement);
void listing_end(struct assembler *as);
/* The whole text, when everything is resolved. */
void listing_text(struct assembler *as, struct text *text);

#endif
