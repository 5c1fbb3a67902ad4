/* Source lines in messages, from the debug information of the objects. */
#ifndef LD_SOURCE_LINE_H
#define LD_SOURCE_LINE_H

#include "ld/linker.h"

/* Finds the source line of the code at the offset in the section. Returns false if the object's
 * debug information does not have it. The name lives as long as the linker. */
bool source_line_find(struct linker *linker, const struct section *section, uint64_t offset,
                      struct position *line);

#endif
