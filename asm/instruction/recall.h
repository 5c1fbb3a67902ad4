/* Instructions that were assembled before, and what became of them.
 *
 * Compilers write the same few thousand instructions again and again. One whose operands are
 * registers and numbers written out has the same bytes wherever it stands, as long as what it rests
 * on stays: extensions, options, macros. So the text of such a statement is remembered with its
 * bytes, and met again it needs no parsing. It is a cache of fixed size: what is forgotten is
 * parsed as if it were new. */
#ifndef ASM_INSTRUCTION_RECALL_H
#define ASM_INSTRUCTION_RECALL_H

#include "asm/statement.h"

struct recalled;

struct recall {
    struct recalled *entries; /* NULL until there is one */
};

/* What became of a statement with this text; NULL if that is not known, or if it is left out. */
const struct recalled *recall_find(const struct assembler *as, const struct statement *statement);
/* Does with the statement what was done with the other. */
void recall_append(struct assembler *as, const struct statement *statement,
                   const struct recalled *recalled);
/* Remembers the bytes, if they rest on nothing but the text. */
void recall_note(struct assembler *as, const struct parsed *parsed, const unsigned char *bytes,
                 size_t count);

#endif
