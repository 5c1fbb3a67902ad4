/* Source lines of a program, from its DWARF line tables, for fault reports. */
#ifndef LIB_SOURCE_H
#define LIB_SOURCE_H

#include "lib/diag.h"
#include "lib/text.h"
#include <stdint.h>

struct source;
struct Elf;
struct Dwarf;

/* Compressed debug sections may expand to this many times the size of the file, and one MiB more.
 * Compilers' DWARF expands to 3 or 4 times its size. */
enum { SOURCE_EXPANSION = 8 };

/* Returns false if the compressed debug sections of the file are larger than that: a small file
 * shall not make a tool use much memory. */
bool source_debug_fits(struct Elf *elf);

/* An ELF image, or NULL, and its DWARF; NULL: there is none that can be read, or its sections do not
 * fit (source_debug_fits). Where some are compressed, libdw changes their headers, so these two are
 * of a copy then. */
struct source_image {
    struct Elf *elf;
    struct Dwarf *dwarf;
    char *copy;
};

/* Opens an image, which must stay in memory. */
void source_image_open(struct source_image *opened, const struct diag_file *image);
void source_image_close(const struct source_image *opened);

/* Opens the line tables of an ELF image, which must stay in memory. `moved` is added to the
 * addresses of the image (elf_move). Returns NULL if there are none that can be read, or if they do
 * not fit (source_debug_fits). */
struct source *source_open(const struct diag_file *image, uint64_t moved);
void source_close(struct source *source);
/* Calls `each` for every file of the line tables, once for each unit that has it. `source` may be
 * NULL. */
void source_each_file(struct source *source, void (*each)(void *context, const char *name),
                      void *context);
/* Appends `file.c:12` for the address. Returns false and appends nothing if the line is not known.
 * `source` may be NULL. */
bool source_append(struct source *source, struct text *text, uint64_t address);

#endif
