/* Command lines of all tools, from one table that also produces --help.
 *
 * Accepted are -o FILE, -oFILE, --long VALUE, --long=VALUE, and a long name with one dash where
 * `single_dash` is set (GNU ld's -Ttext=, -Map=). `--` ends the options, and `-` alone is an
 * operand. Long names may not be abbreviated. Every tool has --help (-h, where the tool does not
 * use the letter),
 * --version, --color and --completion, which is for the Makefile and not listed. An unknown option
 * is an error with a suggestion and "try TOOL --help". */
#ifndef LIB_OPTIONS_H
#define LIB_OPTIONS_H

#include "lib/diag.h"
#include <stdbool.h>

enum option_argument {
    OPTION_NONE,
    OPTION_REQUIRED,
    OPTION_OPTIONAL /* only as --long=VALUE or -xVALUE */
};

enum { SINGLE_DASH_LISTED = 2 };

struct option_spec {
    char letter;      /* 0: none */
    const char *name; /* long name without dashes, or NULL */
    enum option_argument argument;
    const char *value; /* name of the argument in --help: "FILE" */
    const char *help;  /* one line */
    /* Is -name accepted like --name? SINGLE_DASH_LISTED: yes, and --help lists it so, as the manual
     * page does. */
    unsigned char single_dash;
    int id; /* the value that options_next returns */
};

struct options {
    struct diag *diag;
    const char *usage;               /* "[options] file.s…" after the tool's name */
    const char *summary;             /* one line: what the tool does */
    const char *epilogue;            /* printed last by --help; or NULL */
    const struct option_spec *specs; /* ends with an entry that has neither letter nor name */
    int argc;
    char **argv;
    int index;            /* index of the next word */
    bool only_operands;   /* after -- */
    const char *cluster;  /* rest of -abc */
    const char *argument; /* of the option just returned, or the operand; NULL if none */
    const char *written;  /* the option as the user wrote it, for messages */
    bool stop_at_operand; /* temu: everything after the program's name belongs to the program */
};

enum {
    OPTIONS_END = -1,
    OPTIONS_OPERAND = -2,
    OPTIONS_ERROR = -3,
    OPTIONS_EXIT = -4 /* --help, --version or --completion was printed */
};

/* Returns the next id, or one of the above. Before the first call, set the fields of `options` up
 * to specs, argc, argv and index = 1. */
int options_next(struct options *options);

/* Reads a number as C writes it (decimal, 0x, 0); it must be the whole word. Returns false after a
 * diagnostic if it is not a number or is out of range. */
bool options_number(struct options *options, const char *word, unsigned long long minimum,
                    unsigned long long maximum, unsigned long long *value);

#define TOOL_VERSION "0.1.0"

#endif
