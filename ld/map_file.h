/* Reports about a link: the map, and the use of memory. */
#ifndef LD_MAP_FILE_H
#define LD_MAP_FILE_H

#include "ld/linker.h"
#include "lib/text.h"

/* Writes the map in GNU ld's order: archive members and why they were linked, discarded sections,
 * then the output sections with their members and symbols by address. */
void map_make(struct text *text, struct linker *linker);

/* Writes the table of --cref: each global symbol that an object names, with the objects that define
 * it and then those that use it. */
void map_cross_reference(struct text *text, struct linker *linker);

/* Prints the report of --print-memory-usage to standard output. */
void map_print_memory_usage(const struct linker *linker);

#endif
