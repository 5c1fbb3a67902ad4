/* Sections that follow the order of other sections (SHF_LINK_ORDER): lists with an entry for each
 * function, such as the places that a program may patch. gABI, "Section Attribute Flags". */
#ifndef LD_LINK_ORDER_H
#define LD_LINK_ORDER_H

#include "ld/linker.h"

/* Returns the section of the same object whose order the section follows; NULL: it follows none. */
struct section *link_order_of(const struct section *section);
/* Sorts such sections of each output section by the places of the sections that they follow. Other
 * sections stay where they are. */
void link_order_sort(struct linker *linker);

#endif
