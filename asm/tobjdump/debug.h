/* What DWARF says of the code of a file: source lines and the functions they are in. */
#ifndef ASM_TOBJDUMP_DEBUG_H
#define ASM_TOBJDUMP_DEBUG_H

#include "lib/arena.h"
#include "lib/elf_file.h"
#include <stdbool.h>

struct debug_info;

/* A line of a source file. Strings live until debug_close. */
struct debug_place {
    const char *file;       /* NULL: not known */
    const char *function;   /* NULL: not known; of inlined code, the function that was inlined */
    unsigned line;          /* 0: not known */
    unsigned discriminator; /* of several blocks on the line; 0: the only one */
};

/* Reads the DWARF of the file, of an object with its relocations applied; NULL when it has none
 * that can be read. What is damaged is left out; relocations that are, are reported. */
struct debug_info *debug_open(struct arena *arena, struct diag *diag, const struct elf_file *file);
void debug_close(struct debug_info *debug);

/* What is at the offset in the section. `debug` may be NULL: nothing. */
struct debug_place debug_find(const struct debug_info *debug, const struct elf_section *section,
                              uint64_t offset);

#endif
