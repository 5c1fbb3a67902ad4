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

/* The suffix of "__start_SECTION" and "__stop_SECTION" when SECTION is a C identifier; else NULL.
 */
const char *layout_bounded_section(const char *symbol_name);

/* For the default layout and for scripts: a new output section; putting a section into one; where
 * one goes that nothing names; the number at the end of .init_array.NNN; __start_SECTION and
 * __stop_SECTION of what is there, and the addresses of --section-start (`prefix` is that of names
 * in the map); a step of the layout. */
struct output_section *layout_new_output(struct linker *linker, const char *name);
void layout_add_member(struct linker *linker, struct output_section *output,
                       struct section *section);
enum region layout_region_of(const struct section *section);
unsigned layout_priority_of(const struct section *section);
void layout_add_bounds(struct linker *linker, struct map *outputs, const char *prefix);
void layout_fix_addresses(struct linker *linker, struct map *outputs, const char *prefix);
struct statement *layout_add_statement(struct linker *linker, struct statement statement);

/* Puts every live section into an output section, sorts, and makes the list of statements. */
void layout_sections(struct linker *linker);

#endif
