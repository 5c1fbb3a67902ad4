/* A region as C text (unit.h says in what words). The text is the same for the same
 * region on every host. */
#ifndef EMU_NATIVE_EMIT_H
#define EMU_NATIVE_EMIT_H

#include "emu/native/region.h"
#include "lib/text.h"

/* Appends the unit, the prelude first. */
void translate_emit(struct text *text, const struct region *region);

#endif
