/* The table of global names. There is one symbol for each name, however many objects use or define
 * it. */
#ifndef LD_SYMBOL_H
#define LD_SYMBOL_H

#include "ld/linker.h"

#define HEADERS_SYMBOL        "__ehdr_start" /* GNU ld: the address of the file's header in memory */
#define GLOBAL_POINTER_SYMBOL "__global_pointer$" /* psABI: the value of the global pointer */

/* Returns the symbol of this name, creating it (undefined, unused) on first use. */
struct symbol *symbol_intern(struct linker *linker, const char *name);
/* Returns the symbol of this name, or NULL. */
struct symbol *symbol_find(const struct linker *linker, const char *name);

/* Returns the name that a use of `name` means under --wrap: __wrap_SYMBOL for SYMBOL, and SYMBOL
 * for __real_SYMBOL. Definitions keep their names. */
const char *symbol_wrapped(struct linker *linker, const char *name);

/* Enters symbol `raw` of an object: a use, a definition or a common symbol. The rules (System V
 * gABI, "Symbol Table"): a strong definition wins over weak ones and commons; a common wins over
 * weak ones; the largest common wins; the first weak definition wins. Two strong definitions are an
 * error that names both places. Returns the symbol for the object's index from here on. */
struct symbol *symbol_enter(struct linker *linker, struct object *object,
                            const struct elf_symbol *raw, struct section *section);

/* Returns the bits of st_other that are not its visibility (STO_RISCV_VARIANT_CC). */
static inline uint8_t symbol_other_bits(const Elf64_Sym *raw)
{
    return raw->st_other & ~ELF64_ST_VISIBILITY(UINT8_MAX);
}

/* Marks a name as used although no object uses it (-u, the entry symbol, names in expressions). */
struct symbol *symbol_use(struct linker *linker, const char *name);
/* Makes the linker define a symbol; its value is set by assign. */
void symbol_assign(struct linker *linker, struct symbol *symbol);

/* Would an archive member that defines `name` be pulled? */
bool symbol_is_wanted(const struct linker *linker, const char *name);

/* Returns "a.o:(.text+0x10)", "absolute in a.o" or "defined by the linker". */
const char *symbol_place(struct linker *linker, const struct symbol *symbol);

/* Allocates each common symbol: a section with the size and alignment that it asks for. */
void symbols_allocate_commons(struct linker *linker);

/* Is the section of a defined symbol not in the output? Then the symbol has no address. */
static inline bool symbol_is_gone(const struct symbol *symbol)
{
    const struct section *section = symbol->state == SYMBOL_DEFINED ? symbol->section : NULL;

    return section && !(section->live && section->output);
}
/* Returns the address (from assign on); 0 for undefined symbols. For a thread-local symbol it is
 * the address in the initial image. */
static inline uint64_t symbol_address(const struct symbol *symbol)
{
    switch (symbol->state) {
    case SYMBOL_DEFINED:
        return symbol->section ? section_address(symbol->section, symbol->value) : symbol->value;
    case SYMBOL_ASSIGNED:
        return symbol->value + (symbol_output(symbol) ? symbol_output(symbol)->address : 0);
    default:
        return 0;
    }
}
/* Does the address of the symbol change with the place where a position-independent program is
 * loaded? Absolute and undefined symbols stay. */
bool symbol_moves(const struct linker *linker, const struct symbol *symbol);
/* Returns S + A: the address of the symbol plus the addend. For a section symbol, an addend moves
 * with the bytes that it points at. */
static inline uint64_t relocation_target(const struct relocation *relocation)
{
    const struct symbol *symbol = relocation->symbol;
    uint64_t addend = (uint64_t)relocation->addend;

    if (symbol->type == STT_SECTION && symbol->state == SYMBOL_DEFINED && symbol->section &&
        relocation->addend >= 0 && addend <= section_read_size(symbol->section))
        return section_address(symbol->section, symbol->value + addend);
    return symbol_address(symbol) + addend;
}

#endif
