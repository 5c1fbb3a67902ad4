/* CSR access by number. The ISA description says which CSRs exist and what they do (csrs.inc). */
#ifndef EMU_CSR_H
#define EMU_CSR_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* May an instruction read the CSR now, and, with `write`, write it too? The CSR must exist and be
 * writable, and the privilege mode, mcounteren and mstatus.FS must allow the access (Privileged
 * ISA, 2.1). */
bool csr_permits(const struct machine *machine, unsigned number, bool write);
/* Does a debugger see the CSR? In the user environment, CSRs that no program can read are hidden.
 */
bool csr_is_visible(const struct machine *machine, unsigned number);

/* Reads the CSR without checking permissions. Returns false when there is no such CSR.
 * hart->instret must be exact. */
bool csr_get(struct machine *machine, unsigned number, uint64_t *value);
/* Writes the CSR without checking permissions. Returns false when there is no such CSR or it is
 * read-only. */
bool csr_set(struct machine *machine, unsigned number, uint64_t value);
/* Records the value that the next instruction will read: a counter also counts the current
 * instruction. */
void csr_observe(struct machine *machine, unsigned number);

#endif
