/* The output file. */
#ifndef LD_WRITE_H
#define LD_WRITE_H

#include "ld/linker.h"
#include <libelf.h>

/* The symbol table of the output and its strings. */
struct symbol_table {
    Elf64_Sym *symbols; /* [0] is the null symbol; locals first */
    size_t count, capacity, local_count;
    char *strings;
    size_t string_size, string_capacity;
};

/* A table of the null symbol; adding to it (st_name comes from `name`). */
void symbol_table_begin(struct symbol_table *table, struct linker *linker);
void symbol_table_add(struct symbol_table *table, struct linker *linker, const char *name,
                      Elf64_Sym symbol);
/* The symbols of an executable: of each object its local ones (less those that -X, -x discard),
 * then the global ones by name's first appearance. */
void symbol_table_build(struct symbol_table *table, struct linker *linker);

/* Lays the executable out and makes room for it, in memory. */
void write_begin(struct linker *linker);
/* Puts the section there at once, patched or as read: it may forget its bytes. */
void write_early(struct linker *linker, struct section *section);
/* Puts the rest there and writes the executable, complete or not at all. */
bool write_executable(struct linker *linker);

/* For both kinds of output: what fills the gaps between sections; the contents of a section, of all
 * that are not there yet, at their offsets in the file; structures of the host in the file's byte
 * order; a file header without tables. */
void write_fills(const struct linker *linker, unsigned char *file);
void write_section(unsigned char *file, const struct section *section);
void write_sections(const struct linker *linker, unsigned char *file);
void write_structures(unsigned char *to, Elf_Type type, const void *structures, size_t size);
Elf64_Ehdr write_file_header(const struct linker *linker, uint16_t type,
                             const struct symbol_table *symbols);

/* Writes `bytes` to -o's file, and the map where it is asked for: all of it or nothing. */
bool write_outputs(struct linker *linker, const void *bytes, size_t size, unsigned mode);

#endif
