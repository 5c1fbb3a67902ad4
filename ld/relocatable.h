/* -r: one object of many, for a later link (relocatable.c, relocatable_write.c). */
#ifndef LD_RELOCATABLE_H
#define LD_RELOCATABLE_H

#include "ld/linker.h"

/* Puts every live section into an output section, and gives it its offset there. Addresses are 0:
 * symbols and relocations count from the start of their section. */
void relocatable_lay_out(struct linker *linker);

/* Writes the object, complete or not at all. */
void relocatable_write(struct linker *linker);

#endif
