/* Whole rows of the traversal unit: between traversal.c and traversal_nest.c, nobody else's
 * business. */
#ifndef EMU_UNITS_TRAVERSAL_ROWS_H
#define EMU_UNITS_TRAVERSAL_ROWS_H

#include "emu/units/traversal.h"

/* An empty row aside, to be filled; `index` counts the rows that one instruction sets up. */
struct traversal_row *traversal_stage(struct traversal_unit *unit, uint64_t index);
/* The row becomes what is in `with`; what changes is recorded. `with` is of no use afterwards. */
void traversal_replace(struct traversal_unit *unit, struct port *port, uint64_t row,
                       struct traversal_row *with);

#endif
