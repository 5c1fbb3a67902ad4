/* Sections of mergeable parts: strings and constants (SHF_MERGE; gABI, "Section Attribute
 * Flags"). */
#ifndef LD_MERGE_H
#define LD_MERGE_H

#include "ld/linker.h"

/* Writes each string and each constant of an output section once. Later copies, and strings that
 * are the end of a longer one, are left out; section_address() returns the address of the remaining
 * copy. Sections with the same flags, entry size and alignment are merged; those with relocations
 * are not changed. Call it after lay out. */
void merge_sections(struct linker *linker);

#endif
