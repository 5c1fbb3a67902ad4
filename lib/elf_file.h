/* An ELF64 little-endian RISC-V file, read and checked once, for the linker, the disassembler and
 * the emulator.
 *
 * The result is safe to use: every section, string and symbol lies in the file; names are
 * NUL-terminated; entry sizes are right; section links are in range. A file that violates one of these is refused with `NAME: error: …`, which says which
 * section or symbol is wrong, and how. Symbols are in file order. */
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
    unsigned section; /* raw.st_shndx, or the extended index; SHN_UNDEF, SHN_ABS and SHN_COMMON are
                         kept */
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
    bool has_groups;
    Elf64_Phdr *segments; /* each lies in the file */
    size_t segment_count;
    struct elf_symbol *symbols; /* of .symtab, [0] is the null symbol; empty without one, and NULL
                                   if they were only checked */
    size_t symbol_count;
    uint64_t moved;                       /* see elf_move */
    const unsigned char *symbol_bytes;    /* the symbols in the form of the file, */
    const char *symbol_names;             /* their names, */
    const unsigned char *symbol_sections; /* and their extended section indices, or NULL */
    size_t symbol_names_index, symbol_sections_index; /* of the sections with these; 0: none */
};

/* Does the file begin with the magic number of ELF, or of an archive? */
bool elf_is_elf(const void *bytes, size_t length);
bool elf_is_archive(const void *bytes, size_t length);

/* Reads the file, any ELF64 LSB RISC-V file (ET_REL, ET_EXEC, ET_DYN, ET_CORE). `bytes` must stay
 * in memory. Returns false after a diagnostic. */
bool elf_open(struct elf_file *file, struct arena *arena, struct diag *diag, const char *name,
              const void *bytes, size_t length);
/* The same in steps: everything but the symbols; then the symbols, which are either read into the
 * arena or only checked, and then taken one by one from the file. */
bool elf_open_sections(struct elf_file *file, struct arena *arena, struct diag *diag,
                       const char *name, const void *bytes, size_t length);
bool elf_read_symbols(struct elf_file *file, struct arena *arena, struct diag *diag);
bool elf_check_symbols(struct elf_file *file, struct diag *diag);

/* Copies the contents of sections into the arena, because the bytes of the file will not stay in
 * memory. Afterwards only the sections of which `is_temporary` have their bytes there. Symbols can
 * be taken as long as those stay. */
typedef bool elf_section_test(const struct elf_file *file, const struct elf_section *section);
void elf_keep(struct elf_file *file, elf_section_test *is_temporary);

/* Does its value move with the program? */
static inline bool elf_symbol_moves(const struct elf_symbol *symbol)
{
    return symbol->section != SHN_UNDEF && symbol->section != SHN_ABS &&
           ELF64_ST_TYPE(symbol->raw.st_info) != STT_TLS;
}

/* Returns symbol `i` in the form of the file, and with its name and section; after
 * elf_check_symbols. */
static inline Elf64_Sym elf_raw_symbol(const struct elf_file *file, size_t i)
{
    Elf64_Sym raw;
    memcpy(&raw, file->symbol_bytes + i * sizeof raw, sizeof raw);
    return raw;
}
static inline struct elf_symbol elf_symbol_at(const struct elf_file *file, size_t i)
{
    struct elf_symbol symbol = {.raw = elf_raw_symbol(file, i), .index = (unsigned)i};

    symbol.name = symbol.raw.st_name || i ? file->symbol_names + symbol.raw.st_name : "";
    symbol.section = symbol.raw.st_shndx;
    if (symbol.section == SHN_XINDEX)
        memcpy(&symbol.section, file->symbol_sections + i * 4, 4);
    if (file->moved && elf_symbol_moves(&symbol))
        symbol.raw.st_value += file->moved;
    return symbol;
}

/* Reads the file with the symbols that a dynamic linker sees: those of .dynsym instead of .symtab,
 * none if there is no .dynsym. Returns false after a diagnostic. */
bool elf_dynamic_view(struct elf_file *view, const struct elf_file *file, struct diag *diag);

/* Adds `distance` to the addresses of a position-independent program: of its entry, segments,
 * loaded sections and symbols. */
void elf_move(struct elf_file *file, uint64_t distance);

/* Returns a number that tells programs with different code apart: it depends on the contents of the
 * executable sections, not on symbols, debug information or where the program was moved. */
uint64_t elf_code_digest(const struct elf_file *file);

/* Returns the NUL-terminated string at an offset of a string table, or NULL if there is none. */
const char *elf_string(const struct elf_section *table, uint64_t offset);

/* Counts and checks the relocations of SHT_RELA section `section`: symbol indices are in range.
 * Returns false after a diagnostic. */
bool elf_count_relocations(const struct elf_file *file, struct diag *diag,
                           const struct elf_section *section, size_t *count);
/* Returns one of these relocations. */
static inline struct elf_relocation elf_relocation_at(const struct elf_section *section, size_t i)
{
    Elf64_Rela raw;
    memcpy(&raw, section->bytes + i * sizeof raw, sizeof raw);
    return (struct elf_relocation){.offset = raw.r_offset,
                                   .type = (uint32_t)ELF64_R_TYPE(raw.r_info),
                                   .symbol = (uint32_t)ELF64_R_SYM(raw.r_info),
                                   .addend = raw.r_addend};
}
/* Reads all of these relocations. Returns false after a diagnostic. */
bool elf_relocations(const struct elf_file *file, struct diag *diag,
                     const struct elf_section *section, struct elf_relocation **relocations,
                     size_t *count);

const struct elf_section *elf_find_section(const struct elf_file *file, const char *name);
/* Is the address in a segment of a program, or at its end, where the last call in it returns to?
 * True in an object, which has no segments. */
bool elf_is_loaded(const struct elf_file *file, uint64_t address);

/* Symbols of functions and objects by address, for symbol+offset texts. Most runs never ask for
 * one, so they are sorted at the first query. */
struct symbolizer {
    struct symbol_order *order;
};
struct symbol_order {
    const struct elf_file *file;
    bool is_read; /* or else it is still to be read */
    const struct elf_symbol **symbols;
    size_t count; /* of several symbols at one address, the best one is first */
};
void symbolizer_init(struct symbolizer *symbolizer, const struct elf_file *file);
/* Returns the symbol that `address` belongs to: the nearest one at or below it, if the address is
 * within the symbol's size, or in the program if the symbol has no size. NULL if there is none. */
const struct elf_symbol *symbolizer_find(const struct symbolizer *symbolizer, uint64_t address);

#endif
