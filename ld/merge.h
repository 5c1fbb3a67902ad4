/* Sections of equal parts: strings and constants (SHF_MERGE; gABI, "Section Attribute Flags"). */
#ifndef LD_MERGE_H
#define LD_MERGE_H

#include "ld/linker.h"

/* Writes each string and each constant of an output section once: later copies, and strings that
 * are the end of a longer one, are left out, and section_address() leads to the one that stays.
 * Sections merge that have flags, size of entries and alignment in common; those with relocations
 * stay as they are. After lay out. */
void merge_sections(struct linker *linker);

#endif
