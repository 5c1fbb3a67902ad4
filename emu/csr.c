/* See csr.h. The cases come from the ISA description. */
#include "emu/csr.h"
#include "emu/machine.h"
#include "lib/isa.h"

bool csr_get(struct machine *machine, unsigned number, uint64_t *result)
{
    struct hart *const hart __attribute__((unused)) = &machine->hart;
    uint64_t value;

    switch (number) {
#define CSR_READ
#include "csrs.inc"
#undef CSR_READ
    default:
        return false;
    }
    *result = value;
    return true;
}

bool csr_set(struct machine *machine, unsigned number, uint64_t value)
{
    struct hart *const hart __attribute__((unused)) = &machine->hart;
    const struct isa_csr *csr = isa_csr_by_number(number);

    if (!csr || !csr->writable)
        return false;
    switch (number) {
#define CSR_WRITE
#include "csrs.inc"
#undef CSR_WRITE
    default:
        return false;
    }
    return true;
}
