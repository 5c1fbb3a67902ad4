/* ELF32 files as ELF64 files, so that everything else reads one form. */
#ifndef ASM_TOBJDUMP_WIDEN_H
#define ASM_TOBJDUMP_WIDEN_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <elf.h>
#include <stdbool.h>

/* How much farther from the beginning contents are than in the file. */
enum { WIDEN_SHIFT = sizeof(Elf64_Ehdr) };

/* Is it an ELF32 file of a little-endian RISC-V machine? */
bool widen_is_needed(const void *bytes, size_t length);
/* Returns an ELF64 image with the contents of an ELF32 file; *length becomes its length. Returns
 * NULL after a diagnostic if a table of the file does not lie in it. */
const void *widen(struct arena *arena, struct diag *diag, const char *name, const void *bytes,
                  size_t *length);

#endif
