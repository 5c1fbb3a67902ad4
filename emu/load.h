/* Loading a program: reads an ELF file into guest memory, and finds its symbols. */
#ifndef EMU_LOAD_H
#define EMU_LOAD_H

#include "emu/machine.h"
#include "lib/elf_file.h"
#include "lib/file.h"

/* Where the first segment of a position-independent program is loaded: where linkers put programs
 * with fixed addresses. */
#define PROGRAM_BASE UINT64_C(0x10000)

/* Where a dynamic linker is loaded, unless the program is there: above most programs with fixed
 * addresses, with room for the heap between the program and it, or, if it is run as a program,
 * between it and the scratchpad. */
#define LINKER_BASE UINT64_C(0x20000000)

struct program {
    const char *name; /* as the user gave it */
    struct diag_file image;
    bool is_mapped; /* is the image the file itself, not a copy? */
    struct elf_file file;
    struct symbolizer symbols;
    uint64_t moved; /* position-independent: from the addresses in the file to those of `file`, set
                       by program_load */
    uint64_t entry;
    const char *linker_path; /* of the dynamic linker that it asks for; NULL: it is static */
    struct program *linker;  /* this dynamic linker, once it is read */
    uint64_t headers;        /* guest address of the program headers; 0: not loaded */
    uint64_t end; /* end of the highest segment below the scratchpad, or of the highest one if none
                     is below */
};

/* Reads or maps the file, which the guest cannot change, and checks that it is an RV64 executable,
 * position-independent or not. Returns false after a diagnostic. */
bool program_read(struct program *program, struct arena *arena, struct diag *diag,
                  const char *name);
/* The same for bytes in memory, which are copied. */
bool program_read_bytes(struct program *program, struct arena *arena, struct diag *diag,
                        const char *name, const void *bytes, size_t length);
/* Refuses a program that asks for a dynamic linker; `instead` says what else can be done. Returns
 * false after a diagnostic. */
bool program_refuse_dynamic(const struct program *program, struct diag *diag, const char *instead);
/* Reads the dynamic linker from the host's file `name`. Returns false after a diagnostic. */
bool program_read_linker(struct program *program, struct program *linker, struct arena *arena,
                         struct diag *diag, const char *name);

/* Maps and fills the segments of the program, and of its dynamic linker if it has one, and sets pc
 * to where the first of the two starts that runs. A position-independent program begins at
 * PROGRAM_BASE, a dynamic linker at LINKER_BASE, in the bare environment at the start of RAM, or at
 * the next address that suits its alignment. In the bare environment, RAM is already mapped, and
 * the segments go to their physical addresses. Checks what depends on the machine: segments must be
 * inside the address space and the memory size, not on the null page, either wholly inside or
 * wholly outside the scratchpad, and must not overlap; the entry point must be executable. Returns
 * false after diagnostics. */
bool program_load(struct program *program, struct machine *machine, struct diag *diag);

/* Does the program ask for a stack that it can execute, as GNU C's nested functions need? */
bool program_has_executable_stack(const struct program *program);

/* Finds the address of a symbol. Returns false when there is no symbol of that name. */
bool program_symbol(const struct program *program, const char *name, uint64_t *address);

/* Finds the address that `text` stands for: a symbol of the program, `symbol+number` as in traces,
 * or else a number (decimal or 0x…). *size, if not NULL, becomes the number of bytes of the symbol
 * from there on, 0 for a number. Returns false after a diagnostic, which suggests similar symbols.
 */
bool program_address(const struct program *program, struct diag *diag, const char *text,
                     uint64_t *address, uint64_t *size);

#endif
