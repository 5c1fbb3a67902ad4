/* Sections that both the assembler and the linker write: notes and attributes. */
#ifndef LIB_ELF_WRITE_H
#define LIB_ELF_WRITE_H

#include "lib/text.h"
#include <stdint.h>

/* Appends a note (System V gABI, "Note Section"): the sizes of the owner (with its NUL) and of the
 * description, the type, then both, padded to 4 bytes. */
void elf_write_note(struct text *text, const char *owner, uint32_t type, const void *description,
                    size_t size);

/* Appends an attribute of .riscv.attributes (psABI, "Attributes"): a tag in ULEB128 and its value,
 * a NUL-terminated string for an odd tag, a number in ULEB128 for an even one. */
void elf_write_attribute(struct text *attributes, uint64_t tag, uint64_t number,
                         const char *string);
/* Appends the contents of the section. The attributes hold for the whole file. */
void elf_write_attributes(struct text *text, const struct text *attributes);

#endif
