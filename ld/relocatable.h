/* -r: makes one object of many, for a later link (relocatable.c, relocatable_write.c). */
#ifndef LD_RELOCATABLE_H
#define LD_RELOCATABLE_H

#include "ld/linker.h"

/* Puts every live section into an output section and sets its offset there. Addresses are 0:
 * symbols and relocations are relative to the start of their section. */
void relocatable_lay_out(struct linker *linker);

/* Writes the object, completely or not at all. */
void relocatable_write(struct linker *linker);

#endif
