/* Macros and repetitions: .macro .irp .irpc .rept. They work on text, before a statement is parsed.
 */
#ifndef ASM_MACRO_H
#define ASM_MACRO_H

#include "asm/input.h"
#include "asm/word.h"
#include "lib/map.h"
#include "lib/text.h"

struct macros {
    struct map map;            /* name → struct macro; NULL after .purgem */
    unsigned long count;       /* expansions so far: \@ */
    unsigned long local_count; /* names that LOCAL has made */
    bool alternate;            /* .altmacro */
    struct text text;          /* of the expansion being made; its memory is used again */
};

/* Enters the names of the directives. */
void macro_init(struct assembler *as);
/* Executes the statement if its word (`length` bytes at `offset`) is one of these directives or the
 * name of a macro; returns whether it is. */
bool macro_statement(struct assembler *as, const struct statement *statement,
                     const struct meaning *meaning, size_t offset, size_t length);

#endif
