/* The machine as gdb's register numbers and target description have it. Both come from the ISA
 * description (gdb_target.inc); the state of the units follows the other registers, as many as the
 * machine has rows and dimensions. */
#ifndef EMU_GDB_TARGET_H
#define EMU_GDB_TARGET_H

#include "emu/machine.h"
#include "lib/text.h"

/* The target description, XML. */
void gdb_target_describe(struct machine *machine, struct text *xml);
/* How many registers there are in all, and how many of them a `g` packet has: x, pc, f. */
unsigned gdb_target_count(struct machine *machine);
unsigned gdb_target_general(void);
/* The number of the pc. */
unsigned gdb_target_pc(void);

/* False when the register cannot be read now (a CSR that the machine does not let us see). */
bool gdb_target_read(struct machine *machine, unsigned number, uint64_t *value);
/* False when the register cannot be written, or not with this value. */
bool gdb_target_write(struct machine *machine, unsigned number, uint64_t value);

#endif
