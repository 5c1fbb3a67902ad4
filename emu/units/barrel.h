/* Reads of the shared weights of a barrel, and sums of products with them (isa/xbarrel.yaml). The
 * threads are in emu/workers/workers.h. */
#ifndef EMU_UNITS_BARREL_H
#define EMU_UNITS_BARREL_H

#include "fast.h"
#include "lib/arena.h"
#include "units.h"

struct barrel_unit {
    struct barrel_state state;
};

void barrel_init(struct barrel_unit *unit, const struct barrel_settings *settings,
                 struct arena *arena);

#endif
