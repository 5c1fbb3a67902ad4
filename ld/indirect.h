/* Indirect functions (STT_GNU_IFUNC): their symbol is a resolver, which returns the address of the
 * function that is meant. In a static program the C library calls the resolvers at its start, for
 * the relocations between __rela_iplt_start and __rela_iplt_end (R_RISCV_IRELATIVE). */
#ifndef LD_INDIRECT_H
#define LD_INDIRECT_H

#include "ld/linker.h"

/* Gives each indirect function that a live section uses an entry of code, which jumps to where a
 * word says; whatever is relocated against the function goes to that entry from here on, so that
 * the function has one address. The words and their relocations are sections, too. */
void indirect_make(struct linker *linker);

/* Writes the relocations, and the words as they are before the start. */
void indirect_fill(struct linker *linker);

#endif
