/* The global offset table (GOT): words from which code loads addresses and thread-local offsets. */
#ifndef LD_GOT_H
#define LD_GOT_H

#include "ld/linker.h"

/* The bias of dynamic thread-local offsets: psABI, "Dynamic Thread Vector". */
#define GOT_THREAD_BIAS 0x800

/* Does the relocation need an entry, and of which kind? */
bool got_kind_of(const struct relocation *relocation, enum got_kind *kind);

/* Makes an entry for each symbol for which a live section needs one. */
void got_make(struct linker *linker);

/* Returns the address of an entry (from assign on). */
uint64_t got_address(const struct linker *linker, const struct symbol *symbol, enum got_kind kind);

/* Writes the values into the section. */
void got_fill(struct linker *linker);

#endif
