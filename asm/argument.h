/* The arguments of a directive, each read as the kind that the directive expects.
 *
 * `index` counts the arguments from 0; one that is not there counts as empty. Each function reports
 * an argument of another kind at its place, and then returns NULL or false. */
#ifndef ASM_ARGUMENT_H
#define ASM_ARGUMENT_H

#include "asm/statement.h"
#include "asm/tasm.h"

/* Returns the expression that the argument consists of. */
struct expression *argument_expression(struct assembler *as, const struct parsed *parsed,
                                       size_t index);
/* Reads an expression whose value is known when the statement is read. */
bool argument_number(struct assembler *as, const struct parsed *parsed, size_t index,
                     int64_t *number);
/* Returns the name of a symbol, written plainly or in quotes. */
const char *argument_name(struct assembler *as, const struct parsed *parsed, size_t index);
/* Reads a string in quotes; `length` counts its bytes, of which some may be NUL. */
bool argument_string(struct assembler *as, const struct parsed *parsed, size_t index,
                     const char **bytes, size_t *length);
/* Returns the contents of a string in quotes, or the text of any other argument as it is written;
 * "" for an empty argument. */
const char *argument_text(struct assembler *as, const struct parsed *parsed, size_t index);
bool argument_is_empty(const struct parsed *parsed, size_t index);

#endif
