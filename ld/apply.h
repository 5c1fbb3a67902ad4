/* Relocations: from symbol addresses to bits in instructions and data. */
#ifndef LD_APPLY_H
#define LD_APPLY_H

#include "ld/linker.h"

/* Relocates the bytes of every section that is written, into section->patched. Every value is
 * checked against the range of its place. Addresses must be final. */
void apply_relocations(struct linker *linker);

#endif
