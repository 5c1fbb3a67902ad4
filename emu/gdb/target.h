/* The machine's state by gdb's register numbers, and gdb's target description. Both come from the
 * ISA description (gdb_target.inc). The state of the units follows the other registers; its size
 * depends on the rows and dimensions of the machine. */
#ifndef EMU_GDB_TARGET_H
#define EMU_GDB_TARGET_H

#include "emu/machine.h"
#include "lib/text.h"

/* Appends the target description, an XML document. */
void gdb_target_describe(struct machine *machine, struct text *xml);
/* Return the number of all registers, and of those in a `g` packet: x, pc, f. */
unsigned gdb_target_count(struct machine *machine);
unsigned gdb_target_general(void);
/* Returns the register number of the pc. */
unsigned gdb_target_pc(void);

/* Returns the bytes of a register's value, which is in words of 64 bits, the lowest one first. */
unsigned gdb_target_size(unsigned number);
/* Reads a register into up to ISA_WORDS_LIMIT words. Returns false when it cannot be read now (a
 * CSR that the machine hides). */
bool gdb_target_read(struct machine *machine, unsigned number, uint64_t *words);
/* Writes a register. Returns false when it cannot be written, or not with this value. */
bool gdb_target_write(struct machine *machine, unsigned number, const uint64_t *words);

#endif
