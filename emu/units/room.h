/* Room for the state of units, whose size settings of the machine file decide. */
#ifndef EMU_UNITS_ROOM_H
#define EMU_UNITS_ROOM_H

#include <stddef.h>
#include <stdint.h>

/* Ends the program with a message unless outer · inner records of `size` bytes are at most 1 GiB.
 * `settings` names what decides how many there are: "grid.rows and grid.lanes". */
void room_check(const char *unit, uint64_t outer, uint64_t inner, size_t size,
                const char *settings);
#endif
