/* CSR access by number: which exist and what they do comes from the ISA description (csrs.inc). */
#ifndef EMU_CSR_H
#define EMU_CSR_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* May an instruction read it now (`write`: write it too)? What decides: the mode that its number
 * asks for, mcounteren, mstatus.FS, whether it is there and can be written (Privileged ISA, 2.1).
 */
bool csr_permits(const struct machine *machine, unsigned number, bool write);
/* The floating-point CSRs belong to the state that mstatus.FS tells of. */
bool csr_is_float(unsigned number);

/* Past all permissions. False when there is no such CSR. hart->instret must be exact. */
bool csr_get(struct machine *machine, unsigned number, uint64_t *value);
/* False when there is no such CSR or it is read-only. */
bool csr_set(struct machine *machine, unsigned number, uint64_t value);
/* Records the value that the next instruction will read: a counter counts the one at hand too. */
void csr_observe(struct machine *machine, unsigned number);

#endif
