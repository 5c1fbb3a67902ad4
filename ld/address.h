/* Addresses of everything that is loaded. */
#ifndef LD_ADDRESS_H
#define LD_ADDRESS_H

#include "ld/linker.h"

/* Gives every output section, member and symbol its address. May be called again after deletions.
 * Reports what does not fit. */
void assign_addresses(struct linker *linker);

#endif
