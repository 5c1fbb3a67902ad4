/* Writes a region as C text, in the macros of unit.h. The same region gives the same text on every
 * host. */
#ifndef EMU_NATIVE_EMIT_H
#define EMU_NATIVE_EMIT_H

#include "emu/native/region.h"
#include "lib/text.h"

/* Appends the prelude and the unit. */
void translate_emit(struct text *text, const struct region *region);

#endif
