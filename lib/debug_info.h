/* Source lines and functions of the code of a file, from its DWARF. */
#ifndef LIB_DEBUG_INFO_H
#define LIB_DEBUG_INFO_H

#include "lib/arena.h"
#include "lib/elf_file.h"
#include <stdbool.h>

struct debug_info;

/* A line of a source file. Strings live until debug_close. */
struct debug_place {
    const char *file;       /* NULL: unknown */
    const char *function;   /* NULL: unknown; for inlined code, the function that was inlined */
    unsigned line;          /* 0: unknown */
    unsigned discriminator; /* of several blocks on the line; 0: the only one */
};

/* Reads the DWARF of the file; in an object its relocations are applied first. Returns NULL if the
 * file has no readable DWARF. Skips damaged parts; reports damaged relocations. */
struct debug_info *debug_open(struct arena *arena, struct diag *diag, const struct elf_file *file);
void debug_close(struct debug_info *debug);

/* Finds the place of the code at the offset in the section. All is unknown if `debug` is NULL. */
struct debug_place debug_find(const struct debug_info *debug, const struct elf_section *section,
                              uint64_t offset);

#endif
