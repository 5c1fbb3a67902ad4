/* Parsing statements in the simple form that almost all have. */
#ifndef ASM_PLAIN_H
#define ASM_PLAIN_H

#include "asm/statement.h"

enum { PLAIN_LABELS = 2, PLAIN_ITEMS = 16, PLAIN_ARGUMENTS = 6 };

/* The lists of the statement that was parsed last. */
struct plain {
    struct label labels[PLAIN_LABELS];
    struct item items[PLAIN_ITEMS];
    struct argument arguments[PLAIN_ARGUMENTS];
};

/* Parses the statement to what the grammar makes of it, if it has only labels, an operation, and
 * arguments that are words, decimal numbers, sums of two of these, `%operator(…)`, `…(register)`
 * and
 * `@type`. Returns false for all others, without a message: the grammar parses them. The lists are
 * valid until the next call. */
bool plain_parse(struct assembler *as, const struct statement *statement, struct parsed *parsed);

#endif
