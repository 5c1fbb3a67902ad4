/* RAM of the bare environment: one range of memory that begins at BARE_RAM_BASE. The machine file
 * says how long it is. */
#ifndef EMU_BARE_RAM_H
#define EMU_BARE_RAM_H

#include <stdbool.h>
#include <stdint.h>

#define BARE_RAM_BASE UINT64_C(0x80000000)

struct machine;
struct diag;

/* Maps RAM. Returns false after a diagnostic, when the scratchpad overlaps it or the CLINT. */
bool ram_open(struct machine *machine, struct diag *diag);
/* Is the whole range RAM? */
bool ram_contains(const struct machine *machine, uint64_t address, uint64_t length);

#endif
