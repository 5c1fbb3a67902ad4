/* Which sections are in the output. */
#ifndef LD_MARK_H
#define LD_MARK_H

#include "ld/linker.h"

/* Marks the sections that are in the output. Without --gc-sections these are all that are not
 * discarded; with it, those that can be reached from the entry symbol, -u, --defsym, the sections
 * that the layout keeps, and SHF_GNU_RETAIN. */
void mark_live(struct linker *linker);

/* Reports every name that a live section uses and nothing defines, with all places that use it. */
void mark_check_undefined(struct linker *linker);

#endif
