/* The guest's functions as symbols of native code, for gdb on the host: --native-symbols.
 *
 * gdb's JIT interface ("JIT Interface" in its manual) is a list of ELF files in the memory of this
 * process, and a function with a breakpoint that is called when the list changes. */
#ifndef EMU_NATIVE_GDB_SYMBOLS_H
#define EMU_NATIVE_GDB_SYMBOLS_H

#include "emu/native/map.h"

struct copier;
struct gdb_symbols;

/* Returns NULL where there is no memory. */
struct gdb_symbols *gdb_symbols_open(const struct copier *copier, const struct native_map *map,
                                     const struct symbolizer *symbols);
/* Tells gdb of the code of the pieces from `first` to before `end`. */
void gdb_symbols_add(struct gdb_symbols *symbols, size_t first, size_t end);
/* Tells gdb that the code goes. */
void gdb_symbols_forget(struct gdb_symbols *symbols);
void gdb_symbols_close(struct gdb_symbols *symbols); /* or NULL */

#endif
