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

/* --eh-frame-hdr: makes the section .eh_frame_hdr, with room for each function that is not left
 * out. Before lay out. */
void eh_frame_make_header(struct linker *linker);
/* Writes it: a table of the functions' addresses in order, for a binary search. After the unwind
 * tables are relocated. */
void eh_frame_fill_header(struct linker *linker);

#endif
