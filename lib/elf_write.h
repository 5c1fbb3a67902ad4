/* Sections that the assembler makes and the linker makes again: notes and attributes. */
#ifndef LIB_ELF_WRITE_H
#define LIB_ELF_WRITE_H

#include "lib/text.h"
#include <stdint.h>

/* Appends a note (System V gABI, "Note Section"): sizes of owner (with its NUL) and description,
 * type, both of them padded to 4 bytes. */
void elf_write_note(struct text *text, const char *owner, uint32_t type, const void *description,
                    size_t size);

/* .riscv.attributes (psABI, "Attributes"): each attribute is a tag in ULEB128 and its value, a
 * NUL-terminated string for an odd tag, a number in ULEB128 for an even one. */
void elf_write_attribute(struct text *attributes, uint64_t tag, uint64_t number,
                         const char *string);
/* Appends the contents of the section: the attributes are those of the whole file. */
void elf_write_attributes(struct text *text, const struct text *attributes);

#endif
