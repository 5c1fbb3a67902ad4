/* Loading a program: an ELF file into guest memory, and what is known of it afterwards. */
#ifndef EMU_LOAD_H
#define EMU_LOAD_H

#include "emu/machine.h"
#include "lib/elf_file.h"
#include "lib/file.h"

struct program {
    const char *name; /* as the user gave it */
    struct diag_file image;
    struct elf_file file;
    struct symbolizer symbols;
    uint64_t entry;
    uint64_t headers; /* guest address of the program headers; 0: not loaded */
    uint64_t end;     /* first address behind the highest segment below the scratchpad, or of all if
                         there is none below */
};

/* Reads and checks the file: a static RV64 executable. False after a diagnostic. */
bool program_read(struct program *program, struct arena *arena, struct diag *diag,
                  const char *name);

/* Maps and fills the segments, sets pc. In the bare environment memory is there already, and the
 * segments go to their physical addresses. Checks what depends on the machine: every segment inside
 * the address space, off the null page, on one side of the scratchpad's bounds, not over another
 * one, within the memory size; the entry executable. False after diagnostics. */
bool program_load(struct program *program, struct machine *machine, struct diag *diag);

/* Address of a symbol. False when there is none of that name. */
bool program_symbol(const struct program *program, const char *name, uint64_t *address);

/* Address of a symbol of the program, of `symbol+number` as traces write it, or a number (decimal,
 * 0x…) where there is no such symbol. `size` (may be NULL) gets what is left of the symbol, 0 for
 * numbers. False when `text` is neither: a
 * diagnostic with the symbols nearest to it. */
bool program_address(const struct program *program, struct diag *diag, const char *text,
                     uint64_t *address, uint64_t *size);

#endif
