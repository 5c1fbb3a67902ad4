/* See csr.h. The cases come from the ISA description. */
#include "emu/csr.h"
#include "emu/keeper.h"
#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include "lib/isa.h"

#include "emu/state_code.h"

/* Bits 9:8 of the number are the lowest mode that may access the CSR. */
static unsigned lowest_privilege(unsigned number)
{
    return number >> 8 & 3;
}

/* May the current mode read the counter? As under Linux, user mode may read the first three, and
 * with
 * --timing all. */
static bool counter_permitted(const struct machine *machine, unsigned number)
{
    unsigned counter = number - ISA_CSR_CYCLE;
    uint64_t enabled = machine->bare.active     ? machine->hart.mcounteren
                       : machine->hart.is_timed ? UINT32_MAX
                                                : 7;

    return machine->hart.privilege == PRIVILEGE_MACHINE || enabled >> counter & 1;
}

bool csr_permits(const struct machine *machine, unsigned number, bool write)
{
    const struct isa_csr *csr = isa_csr_by_number(number);

    if (!csr || !isa_has(machine->config.extensions, &csr->needs) ||
        machine->hart.privilege < lowest_privilege(number) || (write && !csr->writable))
        return false;
    if (workers_has_hart(machine) &&
        (number == ISA_CSR_TEXITS || lowest_privilege(number) == PRIVILEGE_MACHINE))
        return false;
    if (number >= ISA_CSR_CYCLE && number <= ISA_CSR_HPMCOUNTER31)
        return counter_permitted(machine, number);
    return !machine->bare.active || !isa_is_float_csr(number) ||
           privilege_float_state(&machine->hart) != FLOAT_OFF;
}

bool csr_is_visible(const struct machine *machine, unsigned number)
{
    return machine->bare.active || csr_permits(machine, number, false);
}

/* The ISA description calls these by name. The environment of the machine knows the answers. */
static uint64_t machine_time(const struct machine *machine)
{
    return machine->environment->time(machine);
}

static uint64_t bare_pending(const struct machine *machine)
{
    return machine->environment->pending(machine);
}

static uint64_t performance_counter(const struct machine *machine, unsigned index)
{
    return machine->keeper ? machine->keeper->performance(machine->keeper, index) : 0;
}

/* With state_code.h, the accessors of CSRs. */
#define set(state, ...) state_put_##state(machine, __VA_ARGS__)

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

    /* A CSR that is read-only has no case. */
    switch (number) {
#define CSR_WRITE
#include "csrs.inc"
#undef CSR_WRITE
    default:
        return false;
    }
    return true;
}

void csr_observe(struct machine *machine, unsigned number)
{
    uint64_t value;

    if (!machine->recorder)
        return;
    machine->hart.instret++;
    if (csr_get(machine, number, &value))
        observe_csr(machine, number, value);
    machine->hart.instret--;
}
