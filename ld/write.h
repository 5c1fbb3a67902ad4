/* The output file. */
#ifndef LD_WRITE_H
#define LD_WRITE_H

#include "ld/linker.h"

/* The symbol table of the output and its strings. */
struct symbol_table {
    Elf64_Sym *symbols; /* [0] is the null symbol; locals first */
    size_t count, capacity, local_count;
    char *strings;
    size_t string_size, string_capacity;
};

/* The symbols that are written: of each object its local ones (less those that -X, -x discard),
 * then the global ones by name's first appearance. */
void symbol_table_build(struct symbol_table *table, struct linker *linker);

/* Writes the executable, complete or not at all. */
bool write_executable(struct linker *linker);

#endif
