/* Program headers and file offsets. */
#ifndef LD_SEGMENT_H
#define LD_SEGMENT_H

#include "ld/linker.h"

/* The program headers for the sections' present addresses; file offsets are not known yet. */
void segments_build(struct linker *linker);

/* After the last segments_build: sorts the outputs into the order of the file (loaded ones by
 * address, then the others), reports those that overlap and a scratchpad that is too small, and
 * gives sections and segments their file offsets. Returns where the sections' contents end in the
 * file; 0 after a diagnostic. */
uint64_t segments_place_in_file(struct linker *linker);

#endif
