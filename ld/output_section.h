/* Output sections and the list of statements that places them: shared by the default layout
 * (layout.c), linker scripts (script/layout.c) and relocatable output (relocatable.c). */
#ifndef LD_OUTPUT_SECTION_H
#define LD_OUTPUT_SECTION_H

#include "ld/linker.h"

/* Adds an empty output section to the link. */
struct output_section *output_section_new(struct linker *linker, const char *name);
/* Puts a section last into an output section, which takes over type, flags, entry size and
 * alignment. */
void output_section_add(struct linker *linker, struct output_section *output,
                        struct section *section);
/* Appends a step to the layout. */
struct statement *statement_add(struct linker *linker, struct statement statement);

/* Returns the region of a section that no rule names, by its type and flags. */
enum region section_region(const struct section *section);
/* Returns the number at the end of .init_array.NNN, .fini_array.NNN, and what .ctors.NNN and
 * .dtors.NNN stand for in the same order; 65536 without a number. */
unsigned section_priority(const struct section *section);

/* Returns SECTION of "__start_SECTION" and "__stop_SECTION" when it is a C identifier; else NULL.
 */
const char *section_bounded_by(const char *symbol_name);
/* Defines __start_SECTION and __stop_SECTION where they are used and undefined. `outputs` maps
 * `prefix` and the name of an output section to the output section. */
void output_sections_define_bounds(struct linker *linker, struct map *outputs, const char *prefix);
/* Gives output sections the addresses of --section-start. Warns of a section that does not exist.
 */
void output_sections_fix_addresses(struct linker *linker, struct map *outputs, const char *prefix);

#endif
