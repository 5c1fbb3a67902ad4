/* The global offset table: words that code loads addresses and thread-local offsets from. */
#ifndef LD_GOT_H
#define LD_GOT_H

#include "ld/linker.h"

/* What the dynamic thread-local offsets are counted from: psABI, "Dynamic Thread Vector". */
#define GOT_THREAD_BIAS 0x800

/* Does the relocation want an entry, and of which kind? */
bool got_kind_of(const struct relocation *relocation, enum got_kind *kind);

/* Gives an entry to each symbol that a live section wants one of. */
void got_make(struct linker *linker);

/* Address of an entry (from assign on). */
uint64_t got_address(const struct linker *linker, const struct symbol *symbol, enum got_kind kind);

/* Writes the values into the section. */
void got_fill(struct linker *linker);

#endif
