/* An ELF64 little-endian RISC-V file, read and checked once, for the linker, the disassembler and
 * the emulator.
 *
 * Parsing is libelf's; the checks that make everything below safe to use are here: every section,
 * string and symbol lies in the file; names are NUL-terminated; entry sizes are right; section
 * links are in range. A file that breaks one is refused with `NAME: error: …` that says which
 * section or symbol, and what is wrong. Symbols are in file order. */
#ifndef LIB_ELF_FILE_H
#define LIB_ELF_FILE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct elf_section {
    const char *name;
    Elf64_Shdr header;
    const unsigned char *bytes; /* header.sh_size bytes; NULL for SHT_NOBITS and empty ones */
    unsigned index;
};

struct elf_symbol {
    const char *name;
    Elf64_Sym raw;
    unsigned section; /* raw.st_shndx, or the extended index; SHN_UNDEF SHN_ABS SHN_COMMON stay as
                         they are */
    unsigned index;
};

struct elf_relocation {
    uint64_t offset;
    uint32_t type, symbol;
    int64_t addend;
};

struct elf_file {
    const char *name; /* for messages: "a.o" or "lib.a(a.o)" */
    struct arena *arena;
    const unsigned char *bytes;
    size_t length;
    Elf64_Ehdr header;
    struct elf_section *sections; /* [0] is the null section */
    size_t section_count;
    Elf64_Phdr *segments; /* each lies in the file */
    size_t segment_count;
    struct elf_symbol *symbols; /* of .symtab, [0] is the null symbol; empty without one */
    size_t symbol_count;
};

/* Is it an ELF file at all, or an archive? (By magic.) */
bool elf_is_elf(const void *bytes, size_t length);
bool elf_is_archive(const void *bytes, size_t length);

/* Reads the file; `bytes` must stay. Any ELF64 LSB RISC-V file (ET_REL, ET_EXEC, ET_DYN, ET_CORE).
 * False after a diagnostic. */
bool elf_open(struct elf_file *file, struct arena *arena, struct diag *diag, const char *name,
              const void *bytes, size_t length);
/* The same in two steps: all but the symbols; these, in an arena that may be another one. */
bool elf_open_sections(struct elf_file *file, struct arena *arena, struct diag *diag,
                       const char *name, const void *bytes, size_t length);
bool elf_read_symbols(struct elf_file *file, struct arena *arena, struct diag *diag);

/* The same file with the symbols that a dynamic linker sees, of .dynsym, in place of those of
 * .symtab; none where it has no such table. False after a diagnostic. */
bool elf_dynamic_view(struct elf_file *view, const struct elf_file *file, struct diag *diag);

/* The NUL-terminated string at the offset in a string table; NULL when there is none. */
const char *elf_string(const struct elf_section *table, uint64_t offset);

/* How many relocations SHT_RELA section `section` has; they are checked: symbol indices in range.
 * False after a diagnostic. */
bool elf_count_relocations(const struct elf_file *file, struct diag *diag,
                           const struct elf_section *section, size_t *count);
/* One of them. */
static inline struct elf_relocation elf_relocation_at(const struct elf_section *section, size_t i)
{
    Elf64_Rela raw;
    memcpy(&raw, section->bytes + i * sizeof raw, sizeof raw);
    return (struct elf_relocation){.offset = raw.r_offset,
                                   .type = (uint32_t)ELF64_R_TYPE(raw.r_info),
                                   .symbol = (uint32_t)ELF64_R_SYM(raw.r_info),
                                   .addend = raw.r_addend};
}
/* All of them. False after a diagnostic. */
bool elf_relocations(const struct elf_file *file, struct diag *diag,
                     const struct elf_section *section, struct elf_relocation **relocations,
                     size_t *count);

const struct elf_section *elf_find_section(const struct elf_file *file, const char *name);

/* The ISA fingerprint in a note section (ISA_NOTE_… of lib/isa.h): ISA_FINGERPRINT_DIGITS
 * characters without NUL; NULL when the section is NULL or holds none. */
const char *elf_isa_fingerprint(const struct elf_section *section);

/* Function and object symbols by address, for symbol+offset texts. Most runs of a program never ask
 * for one, so they are sorted at the first question. */
struct symbolizer {
    struct symbol_order *order;
};
struct symbol_order {
    const struct elf_file *file; /* still to be read; or NULL */
    const struct elf_symbol **symbols;
    size_t count; /* of those at one address the best is first: global, function */
};
void symbolizer_init(struct symbolizer *symbolizer, const struct elf_file *file);
/* The symbol that `address` belongs to: the nearest one below (within its size, when it has one …
 * or without size); NULL if none. */
const struct elf_symbol *symbolizer_find(const struct symbolizer *symbolizer, uint64_t address);

#endif
