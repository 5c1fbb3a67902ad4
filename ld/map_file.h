/* What the user may want to know of a link. */
#ifndef LD_MAP_FILE_H
#define LD_MAP_FILE_H

#include "ld/linker.h"

/* The map in GNU ld's order: archive members and why they are here, discarded sections, then the
 * output sections with their members and symbols by address. To -Map's file and, under -M, to
 * standard output. */
bool map_write(struct linker *linker);

/* --print-memory-usage, to standard output. */
void map_print_memory_usage(const struct linker *linker);

#endif
