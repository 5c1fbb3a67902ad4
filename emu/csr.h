/* CSR access by number: which exist and what they do comes from the ISA description (csrs.inc). */
#ifndef EMU_CSR_H
#define EMU_CSR_H

#include <stdbool.h>
#include <stdint.h>

struct machine;

/* False when there is no such CSR. hart->instret must be exact. */
bool csr_get(struct machine *machine, unsigned number, uint64_t *value);
/* False when there is no such CSR or it is read-only. */
bool csr_set(struct machine *machine, unsigned number, uint64_t value);

#endif
