/* Relocations: from symbol addresses to bits in instructions and data. */
#ifndef LD_APPLY_H
#define LD_APPLY_H

#include "ld/linker.h"

/* Leaves in section->patched the bytes of every section that is written, relocated. Every value is
 * checked against what its place can hold. Addresses must be final. */
void apply_relocations(struct linker *linker);

#endif
