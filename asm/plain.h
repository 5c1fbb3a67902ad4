/* Parsing statements in the simple form that almost all have. */
#ifndef ASM_PLAIN_H
#define ASM_PLAIN_H

#include "asm/statement.h"

enum { PLAIN_LABELS = 2, PLAIN_ITEMS = 128, PLAIN_ARGUMENTS = 64 };

/* The lists of the statement that was parsed last. */
struct plain {
    struct label labels[PLAIN_LABELS];
    struct item items[PLAIN_ITEMS];
    struct argument arguments[PLAIN_ARGUMENTS];
};

/* Parses the statement to what the grammar makes of it, if it has only labels, an operation or an
 * assignment, and arguments that are strings, `@type`, or lists of expressions of words, decimal
 * and hexadecimal numbers, characters and operators. Returns false for all others, without a
 * message: the grammar parses them. The lists are valid until the next call. */
bool plain_parse(struct assembler *as, const struct statement *statement, struct parsed *parsed);
/* The same for the rest of a statement, from `offset`, which has only arguments. */
bool plain_parse_arguments(struct assembler *as, const struct statement *statement, size_t offset,
                           struct parsed *parsed);
/* The same in the source, where the statement has no length yet, and ends with its line, perhaps
 * with a comment. Returns its end; NULL for all others. */
const char *plain_parse_in_place(struct assembler *as, const struct statement *statement,
                                 size_t offset, struct parsed *parsed);

/* Reads a decimal number of less than 60 bits or a hexadecimal one of at most 64. Returns its end;
 * NULL for all others (octal, 1f, 1.5, 1ull), which are left to the grammar. */
const char *plain_number(const char *text, uint64_t *number);

/* A binary operator: its text, and how strongly it binds, as in parser.y. */
struct binary {
    char text[3];
    unsigned char strength;
    enum operation operation;
};

/* Returns the operator at the text; NULL if there is none. */
const struct binary *plain_operator(const char *text);

#endif
