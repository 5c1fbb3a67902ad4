/* The output file. */
#ifndef LD_WRITE_H
#define LD_WRITE_H

#include "ld/linker.h"
#include <libelf.h>

/* The symbol table of the output, and its strings. */
struct symbol_table {
    Elf64_Sym *symbols; /* [0] is the null symbol; locals first */
    size_t count, capacity, local_count;
    bool is_extended;   /* some sections have indices that do not fit in a symbol */
    uint32_t *sections; /* then: these indices, or 0, of all symbols */
    size_t section_capacity;
    char *strings;
    size_t string_size, string_capacity;
};

/* --emit-relocs: the relocations that an output section keeps. */
struct kept_relocations {
    const struct output_section *output;
    const char *name; /* ".rela.text" */
    Elf64_Rela *items;
    size_t count;
    uint64_t offset; /* in the file */
    uint32_t name_offset;
};

/* Makes a table with the null symbol and room for `capacity` more, for a file whose sections with
 * symbols have indices up to `last_section`; appends a symbol of the section with that index, where
 * 0 leaves st_shndx as it is (st_name is set from `name`). */
void symbol_table_begin(struct symbol_table *table, struct linker *linker, size_t capacity,
                        size_t last_section);
void symbol_table_add(struct symbol_table *table, struct linker *linker, const char *name,
                      uint32_t section, Elf64_Sym symbol);
/* Returns the header, without name, of the section with the indices of an extended table. */
Elf64_Shdr symbol_table_extension(const struct symbol_table *table, size_t table_index,
                                  uint64_t offset);
/* Makes the symbol table of an executable: the local symbols of each object (without those that -X
 * or -x discard), then the global ones in the order in which their names first appeared. */
void symbol_table_build(struct symbol_table *table, struct linker *linker);

/* --emit-relocs (emit_relocations.c): marks the symbols that the relocations name, so that they are
 * in the symbol table; then makes the relocations of each output section that has some, and returns
 * the tables, *count of them. */
void emit_relocations_mark(struct linker *linker);
struct kept_relocations *emit_relocations_make(struct linker *linker, size_t *count);

/* Assigns the layout of the executable's file and allocates it in memory. */
void write_begin(struct linker *linker);
/* Copies the section into the image now, relocated or as read, so that its bytes can be
 * released. */
void write_early(struct linker *linker, struct section *section);
/* Copies the rest into the image and writes the executable, completely or not at all. */
bool write_executable(struct linker *linker);

/* Shared by both kinds of output: contents of the gaps between sections; copying a section, or all
 * that are not copied yet, to their file offsets; converting structures to the file's byte order;
 * making a file header without tables, and the header of the null section, which has the number of
 * sections and the index of the last, that of their names, where the file header cannot. */
void write_fills(const struct linker *linker, unsigned char *file);
void write_section(unsigned char *file, const struct section *section);
void write_sections(const struct linker *linker, unsigned char *file);
void write_structures(unsigned char *to, Elf_Type type, const void *structures, size_t size);
Elf64_Ehdr write_file_header(const struct linker *linker, uint16_t type,
                             const struct symbol_table *symbols, size_t section_count);
Elf64_Shdr write_null_header(size_t section_count);

/* Writes `bytes` to the file of -o, and the map if it is wanted: both or neither. */
bool write_outputs(struct linker *linker, const void *bytes, size_t size, unsigned mode);

#endif
