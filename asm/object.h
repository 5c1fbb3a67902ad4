/* Writing an ELF file from its sections. */
#ifndef ASM_OBJECT_H
#define ASM_OBJECT_H

#include "lib/arena.h"
#include <elf.h>
#include <stdio.h>

struct object_section {
    Elf64_Shdr header;
    const void *bytes; /* sh_size of them, unless the section has no contents */
};

struct object {
    Elf64_Ehdr header;
    struct object_section *sections; /* in order, after the null section, which comes first */
    size_t count, capacity;
};

/* Begins a relocatable RISC-V object with the null section. */
void object_begin(struct object *object, struct arena *arena);
/* Adds a section, and returns its index. Its size and its alignment are set already. */
size_t object_add(struct object *object, struct arena *arena, const Elf64_Shdr *header,
                  const void *bytes);
/* Places the sections one after the other, then their headers. The section of that index has the
 * names of all. */
void object_place(struct object *object, size_t names);
/* Writes the file from its start to its end to a stream that nothing was written to. False, with
 * errno set, if that fails. */
bool object_write(const struct object *object, FILE *stream);

#endif
