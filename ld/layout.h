/* Which input section goes into which output section, and in which order: what a linker script
 * says. */
#ifndef LD_LAYOUT_H
#define LD_LAYOUT_H

#include "ld/linker.h"

#define HEADERS_SYMBOL        "__ehdr_start"      /* GNU ld: where the file's header is in memory */
#define GLOBAL_POINTER_SYMBOL "__global_pointer$" /* psABI: value of the global pointer */

/* The linker becomes the definer of the layout's symbols (_end, __global_pointer$ …) that no object
 * defines; of the ones that are only provided, when they are used. Before that, no phase may ask
 * whether a name is undefined. */
void layout_define_symbols(struct linker *linker);

/* Is the section a root of --gc-sections by the layout (KEEP in a script)? */
bool layout_keeps(const struct linker *linker, const struct section *section);

/* Puts every live section into an output section, sorts, and makes the list of statements. */
void layout_sections(struct linker *linker);

#endif
