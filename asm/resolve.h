/* What the phase that resolves values shares with the directives that ask for relocations. */
#ifndef ASM_RESOLVE_H
#define ASM_RESOLVE_H

#include "asm/expression.h"
#include "asm/tasm.h"

/* Can the symbol stand in a relocation? Reports one that is no address; NULL can. */
bool resolve_check_symbol(struct assembler *as, const struct expression *expression,
                          struct symbol *symbol);
/* Puts the relocations of .reloc among those of their sections (asm/directive/reloc.c). */
void reloc_resolve(struct assembler *as);

#endif
