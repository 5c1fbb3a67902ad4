/* Output sections and the list of statements that places them: shared by the default layout
 * (layout.c), linker scripts (script/layout.c) and relocatable output (relocatable.c). */
#ifndef LD_OUTPUT_SECTION_H
#define LD_OUTPUT_SECTION_H

#include "ld/linker.h"

/* Adds an empty output section to the link. */
struct output_section *output_section_new(struct linker *linker, const char *name);
/* Appends a section to an output section and updates the type, flags, entry size and alignment of
 * the output section. */
void output_section_add(struct linker *linker, struct output_section *output,
                        struct section *section);
/* Appends a step to the layout. */
struct statement *statement_add(struct linker *linker, struct statement statement);

/* Returns the region of a section that no rule names, determined by its type and flags. */
enum region section_region(const struct section *section);
/* Returns the number at the end of .init_array.NNN or .fini_array.NNN, or the equivalent number for
 * .ctors.NNN and .dtors.NNN. Returns 65536 if there is no number. */
unsigned section_priority(const struct section *section);

/* Returns SECTION of "__start_SECTION" or "__stop_SECTION" if SECTION is a C identifier; otherwise
 * NULL. */
const char *section_bounded_by(const char *symbol_name);
/* Defines __start_SECTION and __stop_SECTION where they are used and undefined. `outputs` maps
 * `prefix` and the name of an output section to the output section. */
void output_sections_define_bounds(struct linker *linker, struct map *outputs, const char *prefix);
/* Gives output sections the addresses of --section-start. Warns of a section that does not exist.
 */
void output_sections_fix_addresses(struct linker *linker, struct map *outputs, const char *prefix);

#endif
