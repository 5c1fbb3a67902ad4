/* The layout: which input section goes into which output section, and in which order. A linker
 * script may replace it. */
#ifndef LD_LAYOUT_H
#define LD_LAYOUT_H

#include "ld/linker.h"
#include "lib/text.h"

/* Makes the linker define the layout's symbols (_end, __global_pointer$ …) that no object defines;
 * those that are only provided are defined if they are used. Until then no phase may ask whether a
 * name is undefined. */
void layout_define_symbols(struct linker *linker);

/* Does the layout make the section a root of --gc-sections (KEEP in a script)? */
bool layout_keeps(const struct linker *linker, const struct section *section);

/* Puts every live section into an output section, sorts the sections, and makes the list of
 * statements. */
void layout_sections(struct linker *linker);

/* Writes the default layout as a linker script, without the scratchpad, which needs no rule. */
void layout_write_script(struct text *text, const struct config *config);

#endif
