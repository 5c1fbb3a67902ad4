/* What the user may want to know of a link. */
#ifndef LD_MAP_FILE_H
#define LD_MAP_FILE_H

#include "ld/linker.h"
#include "lib/text.h"

/* The map in GNU ld's order: archive members and why they are here, discarded sections, then the
 * output sections with their members and symbols by address. */
void map_make(struct text *text, struct linker *linker);

/* --print-memory-usage, to standard output. */
void map_print_memory_usage(const struct linker *linker);

#endif
