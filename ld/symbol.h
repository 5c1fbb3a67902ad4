/* The table of global names: one symbol each, however many objects use or define it. */
#ifndef LD_SYMBOL_H
#define LD_SYMBOL_H

#include "ld/linker.h"

/* The symbol of this name; made (undefined, unused) when there is none. */
struct symbol *symbol_intern(struct linker *linker, const char *name);
/* The symbol of this name, or NULL. */
struct symbol *symbol_find(const struct linker *linker, const char *name);

/* The name that a use of `name` means under --wrap: of SYMBOL, __wrap_SYMBOL, of __real_SYMBOL,
 * SYMBOL. Definitions keep their names. */
const char *symbol_wrapped(struct linker *linker, const char *name);

/* Enters symbol `raw` of an object: a use, a definition or a common. Rules (System V gABI, "Symbol
 * Table"): a strong definition wins over weak ones and commons, a common wins over weak ones, of
 * commons the largest counts, of weak ones the first; two strong ones are an error that names both
 * places. Returns the symbol that the object's index stands for from here on. */
struct symbol *symbol_enter(struct linker *linker, struct object *object,
                            const struct elf_symbol *raw, struct section *section);

/* Counts a name as used though no object does (-u, the entry symbol, names in expressions). */
struct symbol *symbol_use(struct linker *linker, const char *name);
/* Makes the linker the owner of a symbol; its value comes at assign. */
void symbol_assign(struct linker *linker, struct symbol *symbol);

/* Would an archive member that defines `name` be pulled? */
bool symbol_is_wanted(const struct linker *linker, const char *name);

/* "a.o:(.text+0x10)", "absolute in a.o" or "defined by the linker". */
const char *symbol_place(struct linker *linker, const struct symbol *symbol);

/* Gives each common symbol its place: a section of its own, of the type and alignment it asks for.
 */
void symbols_allocate_commons(struct linker *linker);

/* Is the section of a defined symbol not in the output? Then the symbol has no address. */
bool symbol_is_gone(const struct symbol *symbol);
/* Address (from assign on); 0 for undefined ones. For thread-local symbols the address in the
 * initial image. */
uint64_t symbol_address(const struct symbol *symbol);
/* S + A: the address of the symbol and the addend. What is counted from the start of a section (its
 * section symbol) moves with the bytes that it names. */
uint64_t relocation_target(const struct relocation *relocation);

#endif
