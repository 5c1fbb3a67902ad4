/* Program headers and file offsets. */
#ifndef LD_SEGMENT_H
#define LD_SEGMENT_H

#include "ld/linker.h"

/* Does the output section take room in memory? Thread-local data without contents takes none. */
bool segment_holds(const struct output_section *output);
/* Is it in the file? */
bool segment_has_contents(const struct output_section *output);
/* PF_… that it needs. */
uint32_t segment_permissions(const struct output_section *output);
/* The sections that take room, by address; NULL ends the list. */
struct output_section **segment_loaded_sections(struct linker *linker);
/* A program header more, the last. */
struct segment *segment_add(struct linker *linker, uint32_t type, uint32_t flags);
/* Forgets all program headers. */
void segments_clear(struct linker *linker);

/* Makes the program headers of the default layout for the present addresses of the sections. File
 * offsets are not known yet. */
void segments_build(struct linker *linker);
/* The same for the PHDRS of a script (ld/script/segment.c). */
void segments_build_scripted(struct linker *linker);
/* Reports what cannot be loaded as PHDRS asks; gives sections the load addresses of AT. */
void segments_check_scripted(struct linker *linker);

/* Where the file's header will be in memory, when a segment has it. After segments_build. */
bool segments_find_headers(const struct linker *linker, uint64_t *address);

/* After the last segments_build: sorts the outputs into the order of the file (loaded ones by
 * address, then the others), reports those that overlap and a scratchpad that is too small, and
 * gives sections and segments their file offsets. Returns where the sections' contents end in the
 * file; 0 after a diagnostic. */
uint64_t segments_place_in_file(struct linker *linker);

#endif
