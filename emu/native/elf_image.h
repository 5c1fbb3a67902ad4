/* A small ELF file of the host in memory: native code for tools that read ELF. */
#ifndef EMU_NATIVE_ELF_IMAGE_H
#define EMU_NATIVE_ELF_IMAGE_H

#include "lib/text.h"

/* A section. Code has SHF_EXECINSTR; without bytes, it is somewhere else. */
struct elf_image_section {
    const char *name;
    uint64_t address, size;
    const void *bytes; /* or NULL */
    bool is_code;
};

/* A function. */
struct elf_image_symbol {
    size_t name; /* offset in the names */
    uint64_t address, size;
    unsigned section; /* 1 is the first one */
};

/* Returns the ELF machine of the host. */
unsigned elf_image_machine(void);
/* Appends the file. `names` has the names of the symbols, each with its NUL. */
void elf_image_append(struct text *file, const struct elf_image_section *sections, unsigned count,
                      const struct elf_image_symbol *symbols, size_t symbol_count,
                      const struct text *names);

#endif
