/* Setting up whole rows of the traversal unit. Only traversal.c and traversal_nest.c include this
 * header. */
#ifndef EMU_UNITS_TRAVERSAL_ROWS_H
#define EMU_UNITS_TRAVERSAL_ROWS_H

#include "emu/units/traversal.h"

/* Returns an empty staged row to be filled; `index` numbers the rows that one instruction sets up.
 */
struct traversal_row *traversal_stage(struct traversal_unit *unit, uint64_t index);
/* Replaces the row by `with`, and records the changes. */
void traversal_replace(struct traversal_unit *unit, struct port *port, uint64_t row,
                       const struct traversal_row *with);

#endif
