/* Indirect functions (STT_GNU_IFUNC). Their symbol is a resolver, which returns the address of the
 * function to call. In a static program the C library calls the resolvers at the start, for the
 * relocations between __rela_iplt_start and __rela_iplt_end (R_RISCV_IRELATIVE). In a
 * position-independent program these are in .rela.dyn. */
#ifndef LD_INDIRECT_H
#define LD_INDIRECT_H

#include "ld/linker.h"

/* Gives each indirect function that a live section uses an entry: code that jumps to the address in
 * a word. Relocations against the function refer to its entry from here on, so that the function
 * has one address. The words and their relocations are sections, too. */
void indirect_make(struct linker *linker);

/* Returns the function whose entry the symbol is, or the symbol itself. */
struct symbol *indirect_function(const struct linker *linker, struct symbol *symbol);

/* Writes the relocations, and the initial values of the words. */
void indirect_fill(struct linker *linker);

#endif
