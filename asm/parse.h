/* Parsing a statement. */
#ifndef ASM_PARSE_H
#define ASM_PARSE_H

#include "asm/statement.h"

/* Parses the statement; false after a diagnostic. */
bool parse_statement(struct assembler *as, const struct statement *statement,
                     struct parsed *parsed);
/* Parses the rest of a statement, from `offset`, as a list of arguments (of .if, .rept). */
bool parse_arguments(struct assembler *as, const struct statement *statement, size_t offset,
                     struct parsed *parsed);

/* Parses a directive or an instruction that is still in its source (statement_begin), and has its
 * word but no label. Returns its end, which is that of its line or a comment; NULL, without a
 * message, if something else ends it or it needs the grammar. */
const char *parse_in_place(struct assembler *as, struct statement *statement,
                           struct parsed *parsed);

#endif
