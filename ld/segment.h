/* Program headers and file offsets. */
#ifndef LD_SEGMENT_H
#define LD_SEGMENT_H

#include "ld/linker.h"

/* Does the output section take up memory? Thread-local data without contents does not. */
bool segment_holds(const struct output_section *output);
/* Is it in the file? */
bool segment_has_contents(const struct output_section *output);
/* Returns the PF_… that it needs. */
uint32_t segment_permissions(const struct output_section *output);
/* Returns the sections that take up memory, by address; NULL ends the list. */
struct output_section **segment_loaded_sections(struct linker *linker);
/* Appends a program header. */
/* Returns what the address and the offset of a PT_LOAD are congruent to: the page size, or with -n
 * and -N the largest alignment of a section. */
uint64_t segment_page_size(const struct linker *linker);
struct segment *segment_add(struct linker *linker, uint32_t type, uint32_t flags);
/* Forgets all program headers. */
void segments_clear(struct linker *linker);

/* Makes the program headers of the default layout for the present addresses of the sections. File
 * offsets are not known yet. */
void segments_build(struct linker *linker);
/* The same for the PHDRS of a script (ld/script/segment.c). */
void segments_build_scripted(struct linker *linker);
/* Reports what cannot be loaded as PHDRS asks, and gives sections the load addresses of AT. */
void segments_check_scripted(struct linker *linker);

/* Finds the address of the file's header in memory. Returns false if no segment contains it. Call
 * it after segments_build. */
bool segments_find_headers(const struct linker *linker, uint64_t *address);

/* Call this after the last segments_build. Sorts the outputs into the order of the file (loaded
 * ones by address, then the others), reports outputs that overlap and a scratchpad that is too
 * small, and gives sections and segments their file offsets. Returns where the contents of sections
 * end in the file; 0 after a diagnostic. */
uint64_t segments_place_in_file(struct linker *linker);

#endif
