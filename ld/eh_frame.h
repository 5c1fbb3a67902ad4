/* Unwind tables: a list of records, each the common part of several functions (CIE) or one function
 * (FDE). */
#ifndef LD_EH_FRAME_H
#define LD_EH_FRAME_H

#include "ld/linker.h"

bool eh_frame_is(const struct section *section);
/* Deletes the records of functions that are not in the output (garbage, or a copy of a COMDAT
 * group). */
void eh_frame_prune(struct linker *linker);
/* The distances from records to their common parts, corrected for what was deleted between;
 * `bytes`: the patched contents. */
void eh_frame_correct(const struct section *section, unsigned char *bytes);

#endif
