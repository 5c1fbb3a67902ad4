/* See privilege.h. */
#include "emu/privilege.h"
#include "emu/block.h"
#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include "lib/architecture.h"

#define BIT(n)           (UINT64_C(1) << (n))
#define STATUS_MIE       BIT(3)
#define STATUS_MPIE      BIT(7)
#define STATUS_MPP_SHIFT 11
#define STATUS_MPP       (UINT64_C(3) << STATUS_MPP_SHIFT)
#define STATUS_FS_SHIFT  13
#define STATUS_FS        (UINT64_C(3) << STATUS_FS_SHIFT)
#define STATUS_MPRV      BIT(17)
#define STATUS_TW        BIT(21)
#define STATUS_UXL_64    (UINT64_C(2) << 32)
#define STATUS_SD        BIT(63)
#define STATUS_WRITABLE                                                                            \
    (STATUS_MIE | STATUS_MPIE | STATUS_MPP | STATUS_FS | STATUS_MPRV | STATUS_TW)
#define VECTOR_MODE     UINT64_C(3)
#define VECTOR_VECTORED UINT64_C(1)
#define VECTOR_RESERVED UINT64_C(2)
#define MISA_64         (UINT64_C(2) << 62)

void privilege_reset(struct machine *machine)
{
    struct hart *hart = &machine->hart;

    hart->privilege = PRIVILEGE_MACHINE;
    hart->mstatus = 0;
    machine->attention = machine->views_stale = true;
}

/* ---- CSRs ---- */

uint64_t privilege_status(const struct hart *hart)
{
    bool dirty = privilege_float_state(hart) == FLOAT_DIRTY;

    return hart->mstatus | STATUS_UXL_64 | (dirty ? STATUS_SD : 0);
}

/* A change of mstatus may change the mode of loads and stores, the enabled interrupts, and FS. */
static void change_status(struct machine *machine, uint64_t value)
{
    struct hart *hart = &machine->hart;

    if ((hart->mstatus ^ value) & STATUS_FS)
        machine->views_stale = true;
    hart->mstatus = value;
    machine->attention = true;
}

void privilege_set_status(struct machine *machine, uint64_t value)
{
    value &= STATUS_WRITABLE;
    /* Only user mode and machine mode exist, so MPP is 0 or 3. */
    if ((value & STATUS_MPP) != STATUS_MPP)
        value &= ~STATUS_MPP;
    change_status(machine, value);
}

uint64_t privilege_isa(const struct machine *machine)
{
    /* The name of these together. */
    isa_set b = architecture_set("zba") | architecture_set("zbb") | architecture_set("zbs");
    uint64_t value = MISA_64 | BIT('U' - 'A');

    for (size_t i = 0; i < isa_extension_count; i++) {
        const char *name = isa_extensions[i].name;
        if (!(machine->config.extensions >> i & 1))
            continue;
        if (name[0] == 'x')
            value |= BIT('X' - 'A');
        else if (name[1] == '\0' && name[0] >= 'a' && name[0] <= 'z')
            value |= BIT(name[0] - 'a');
    }
    if ((machine->config.extensions & b) == b)
        value |= BIT('B' - 'A');
    return value;
}

void privilege_set_environment(struct machine *machine, uint64_t value)
{
    isa_set extensions = machine->config.extensions;
    uint64_t writable = MENVCFG_FIOM;

    if ((value & MENVCFG_CBIE) == UINT64_C(2) << 4)
        value &= ~MENVCFG_CBIE;
    if (extensions & architecture_set("zicbom"))
        writable |= MENVCFG_CBIE | MENVCFG_CBCFE;
    if (extensions & architecture_set("zicboz"))
        writable |= MENVCFG_CBZE;
    machine->hart.menvcfg = value & writable;
}

void privilege_set_enabled(struct machine *machine, uint64_t value)
{
    machine->hart.mie =
        value & (BIT(INTERRUPT_SOFTWARE) | BIT(INTERRUPT_TIMER) | BIT(INTERRUPT_EXTERNAL));
    machine->attention = true;
}

void privilege_set_vector(struct machine *machine, uint64_t value)
{
    machine->hart.mtvec = value & ~VECTOR_RESERVED;
    machine->hart.vector_set = true;
    machine->hart.repeated_traps = 0;
}

void privilege_set_pmp_configuration(struct machine *machine, unsigned first, uint64_t value)
{
    pmp_write_configuration(&machine->hart.pmp, first, value);
    machine->attention = machine->views_stale = true;
}

void privilege_set_pmp_address(struct machine *machine, unsigned entry, uint64_t value)
{
    pmp_write_address(&machine->hart.pmp, entry, value);
    machine->attention = machine->views_stale = true;
}

/* Returns what the counter counts: instructions of the thread before this one, or cycles. A turn
 * of the barrel is a cycle. */
static uint64_t counted(const struct counter *counter, const struct hart *hart)
{
    if (counter != &hart->mcycle)
        return hart->instret - hart->foreign;
    return hart->is_timed ? hart->cycle : hart->instret + hart->passed;
}

/* Returns the same for the instruction after this one. */
static uint64_t counted_next(const struct counter *counter, const struct hart *hart)
{
    return counted(counter, hart) + !(hart->is_timed && counter == &hart->mcycle);
}

uint64_t counter_read(const struct counter *counter, const struct hart *hart)
{
    return counter->stopped ? counter->value : counter->value + counted(counter, hart);
}

/* hart->instret does not include the writing instruction yet. */
void counter_write(struct counter *counter, const struct hart *hart, uint64_t value)
{
    counter->value = counter->stopped ? value : value - counted_next(counter, hart);
}

static void counter_stop(struct counter *counter, const struct hart *hart, bool stop)
{
    if (stop == counter->stopped)
        return;
    counter->value += stop ? counted_next(counter, hart) : -counted_next(counter, hart);
    counter->stopped = stop;
}

void privilege_set_inhibit(struct hart *hart, uint64_t value)
{
    hart->mcountinhibit =
        value & UINT32_MAX & ~BIT(1); /* bit 1 is hardwired to 0: time cannot be stopped */
    counter_stop(&hart->mcycle, hart, value & BIT(0));
    counter_stop(&hart->minstret, hart, value & BIT(2));
}

/* ---- floating-point state ---- */

enum float_state privilege_float_state(const struct hart *hart)
{
    return hart->mstatus >> STATUS_FS_SHIFT & 3;
}

bool privilege_dirty_float(struct machine *machine)
{
    struct hart *hart = &machine->hart;

    if (privilege_float_state(hart) == FLOAT_OFF)
        return false;
    if (privilege_float_state(hart) != FLOAT_DIRTY) {
        change_status(machine, hart->mstatus | STATUS_FS);
        observe_csr(machine, ISA_CSR_MSTATUS, privilege_status(hart));
    }
    return true;
}

/* ---- traps ---- */

enum privilege privilege_of_data(const struct hart *hart)
{
    return hart->mstatus & STATUS_MPRV ? hart->mstatus >> STATUS_MPP_SHIFT & 3 : hart->privilege;
}

static void set_privilege(struct machine *machine, enum privilege privilege)
{
    bool changes = machine->hart.privilege != privilege;

    machine->hart.privilege = privilege;
    if (changes)
        observe_privilege(machine);
}

void privilege_enter(struct machine *machine, bool is_interrupt, unsigned cause, uint64_t value)
{
    struct hart *hart = &machine->hart;
    uint64_t base = hart->mtvec & ~VECTOR_MODE;
    uint64_t status = hart->mstatus & ~(STATUS_MPIE | STATUS_MPP | STATUS_MIE);

    status |= hart->mstatus & STATUS_MIE ? STATUS_MPIE : 0;
    status |= (uint64_t)hart->privilege << STATUS_MPP_SHIFT;
    hart->mepc = hart->pc;
    hart->mcause = cause | (is_interrupt ? CAUSE_INTERRUPT_BIT : 0);
    hart->mtval = value;
    change_status(machine, status);
    hart->pc = base + (is_interrupt && hart->mtvec & VECTOR_VECTORED ? 4 * cause : 0);
    observe_csr(machine, ISA_CSR_MSTATUS, privilege_status(hart));
    observe_csr(machine, ISA_CSR_MEPC, hart->mepc);
    observe_csr(machine, ISA_CSR_MCAUSE, hart->mcause);
    observe_csr(machine, ISA_CSR_MTVAL, hart->mtval);
    set_privilege(machine, PRIVILEGE_MACHINE);
}

bool privilege_return(struct machine *machine, uint64_t *destination)
{
    struct hart *hart = &machine->hart;
    enum privilege previous = hart->mstatus >> STATUS_MPP_SHIFT & 3;
    uint64_t status = hart->mstatus & ~(STATUS_MIE | STATUS_MPP);

    if (hart->privilege != PRIVILEGE_MACHINE || workers_has_hart(machine))
        return false;
    status |= (hart->mstatus & STATUS_MPIE ? STATUS_MIE : 0) | STATUS_MPIE;
    if (previous != PRIVILEGE_MACHINE)
        status &= ~STATUS_MPRV;
    change_status(machine, status);
    hart->repeated_traps = 0;
    *destination = hart->mepc;
    observe_csr(machine, ISA_CSR_MSTATUS, privilege_status(hart));
    set_privilege(machine, previous);
    return true;
}

bool privilege_wait(struct machine *machine)
{
    struct hart *hart = &machine->hart;

    if (!machine->bare.active || workers_has_hart(machine) ||
        (hart->privilege != PRIVILEGE_MACHINE && hart->mstatus & STATUS_TW))
        return false;
    machine->waiting = machine->attention = true;
    return true;
}

bool privilege_interruptible(const struct hart *hart)
{
    return hart->privilege != PRIVILEGE_MACHINE || hart->mstatus & STATUS_MIE;
}
