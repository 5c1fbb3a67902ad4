/* Operations on cache blocks: Zicbom and Zicboz. There is no cache, so that only the zeroing of a
 * block changes memory; the others check the access.
 *
 * Source: RISC-V Base Cache Management Operation ISA Extensions 1.0.1. */
#ifndef EMU_BLOCK_H
#define EMU_BLOCK_H

#include "emu/machine.h"

enum block_operation { BLOCK_INVALIDATE, BLOCK_CLEAN, BLOCK_FLUSH, BLOCK_ZERO };

/* The bits of menvcfg that say what user mode may do. */
#define MENVCFG_FIOM  (UINT64_C(1) << 0)
#define MENVCFG_CBIE  (UINT64_C(3) << 4) /* invalidate: 0 illegal, 1 as flush, 3 yes */
#define MENVCFG_CBCFE (UINT64_C(1) << 6) /* clean and flush */
#define MENVCFG_CBZE  (UINT64_C(1) << 7) /* zero */

/* May the current mode do the operation? */
bool block_permits(const struct machine *machine, enum block_operation operation);
/* Does the operation on the block that holds `address`. Returns false after filling the fault: a
 * store access fault whose value is the address. */
bool block_manage(struct machine *machine, enum block_operation operation, uint64_t address,
                  struct fault *fault);

#endif
