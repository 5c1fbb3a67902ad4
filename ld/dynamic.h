/* What a position-independent program (-static-pie) has for the code that relocates it: .dynamic,
 * and the relocations of its addresses in .rela.dyn. */
#ifndef LD_DYNAMIC_H
#define LD_DYNAMIC_H

#include "ld/place.h"

/* Makes the sections and _DYNAMIC, the symbol of .dynamic. Their sizes are not known yet. */
void dynamic_make(struct linker *linker);
/* Gives the sections their sizes. Call it when the sections of the output are known. */
void dynamic_size(struct linker *linker);

/* Is it one of these sections? They are filled last. */
bool dynamic_has(const struct linker *linker, const struct section *section);
/* Returns the sh_link of the output section; 0: none. */
uint32_t dynamic_link(const struct linker *linker, const struct output_section *output);

/* Checks that the value of the relocation is right wherever the program is loaded. If the value is
 * a whole address in writable data, adds the relocation that the start of the program applies.
 * Returns false after a diagnostic. */
bool dynamic_check(const struct place *place);
/* Adds the relocation of the word at `place`, which holds `address`. */
void dynamic_add_address(struct linker *linker, uint64_t place, uint64_t address);
/* Adds the relocation of the word at `place` to what the function at `resolver` returns. */
void dynamic_add_indirect(struct linker *linker, uint64_t place, uint64_t resolver);

/* Writes the contents of the sections. */
void dynamic_fill(struct linker *linker);

#endif
