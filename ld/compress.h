/* Compressed debug sections: gABI, "Compressed Sections", and the older .zdebug_* of GNU. */
#ifndef LD_COMPRESS_H
#define LD_COMPRESS_H

#include "ld/linker.h"

/* Replaces the contents of a compressed section of an object, its size, alignment, flags and name
 * by those that it had before compression. Returns false after a diagnostic. */
bool compress_expand(struct linker *linker, struct object *object, struct elf_section *section);

/* Returns the contents with their header (Elf64_Chdr) as --compress-debug-sections asks for them,
 * and their size, or NULL if they would not be shorter. */
unsigned char *compress_contents(struct linker *linker, const struct output_section *output,
                                 const unsigned char *bytes, uint64_t *size);

#endif
