/* The listing (-a): source lines with the addresses and bytes that come from them.
 *
 * Each statement that is read leaves a row: the line of a file that it belongs to, and the current
 * location before and after it. Once everything is resolved, rows and the lines between them become
 * text, in the columns of GNU as ("Enable Listings" in its manual). */
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
    unsigned line;               /* of its text, from 1; 0: the start of the file */
    const char *expansion;       /* statement of a macro or repetition; or NULL */
    unsigned depth;              /* number of macros and repetitions around it */
    const struct fragment *fragment, *end_fragment;
    uint64_t offset, end_offset; /* in these fragments, before and after the statement */
    bool left_out;               /* in a branch of .if that is not assembled */
    bool leaves_out;             /* the lines after it are */
    bool hidden;                 /* by .nolist, as are the lines up to the next row */
    bool debugging;              /* .file with a number, .loc */
    bool ejects;                 /* .eject: a page ends here */
};

struct listing {
    bool wanted, no_pages;                          /* -a, -an */
    bool lines, symbols, general;                   /* -al, -as, -ag */
    bool no_conditionals, no_debugging, expansions; /* -ac, -ad, -am */
    const char *file;                               /* -a=FILE; NULL: standard output */
    const char *command;                            /* arguments of the command line, for -ag */
    struct listing_row *rows;
    size_t count, capacity;
    int level; /* .list adds 1, .nolist subtracts 1; negative: not listed */
    const char *title, *subtitle;
    unsigned page_lines, page_columns;
};

/* Applies the letters and the =FILE of -a; false after a diagnostic. */
bool listing_option(struct assembler *as, const char *letters);
/* Notes that a file begins. */
void listing_file(struct assembler *as);
/* Called before and after each statement, including those that are left out. */
void listing_begin(struct assembler *as, const struct statement *statement);
void listing_end(struct assembler *as);
/* Appends the whole listing, once everything is resolved. */
void listing_text(struct assembler *as, struct text *text);

#endif
