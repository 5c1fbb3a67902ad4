/* See bare.h. */
#include "emu/bare/bare.h"
#include "emu/load.h"
#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "emu/workers/workers.h"
#include <inttypes.h>

/* Number of exceptions in a row at one pc, without mret or a write of mtvec between them, after
 * which the handler counts as stuck. */
enum { REPEATED_TRAPS_LIMIT = 100000 };

bool bare_suits(const struct machine *machine, const struct program *program)
{
    uint64_t address;

    return program_symbol(program, "tohost", &address) || ram_contains(machine, program->entry, 1);
}

/* ---- memory ---- */

/* Is the byte at `address` in the program's memory, and may the mode access it? */
static bool allows_byte(const struct machine *machine, unsigned privilege, uint64_t address,
                        unsigned access)
{
    return address < MEMORY_LIMIT && machine->memory.pages[address >> MEMORY_PAGE_BITS] & access &&
           pmp_allows(&machine->hart.pmp, privilege, address, 1, access);
}

/* Checks a load, store or fetch that does not take the fast path. The PMP checks an aligned access
 * as a whole, a misaligned one byte by byte, and a fetch halfword by halfword. */
static bool guard(void *context, uint64_t address, size_t size, enum page_permission access,
                  struct fault *fault)
{
    const struct machine *machine = context;
    const struct hart *hart = &machine->hart;
    unsigned privilege = access == PAGE_EXECUTE ? hart->privilege : privilege_of_data(hart);

    if (access != PAGE_EXECUTE && address % size == 0 &&
        !pmp_allows(&hart->pmp, privilege, address, size, access))
        return fault_set(fault, memory_access_fault(access), address);
    if (access != PAGE_EXECUTE && clint_overlaps(address, size))
        return fault_set(fault, CAUSE_DEVICE, address);
    for (size_t i = 0; i < size; i++)
        if (!allows_byte(machine, privilege, address + i, access))
            return fault_set(fault, memory_access_fault(access), address + i);
    if (access == PAGE_WRITE && htif_overlaps(&machine->bare.htif, address, size))
        return fault_set(fault, CAUSE_DEVICE, address);
    return true;
}

bool bare_allows(const struct machine *machine, uint64_t address, uint64_t length, bool write)
{
    const struct hart *hart = &machine->hart;
    uint64_t end = address + length - 1;

    for (uint64_t last; length; address = last + 1) {
        unsigned allowed = pmp_extent(&hart->pmp, privilege_of_data(hart), address, &last);
        if (!(allowed & (write ? PMP_WRITE : PMP_READ)))
            return false;
        if (last >= end)
            break;
    }
    return true;
}

bool bare_load(struct machine *machine, uint64_t address, void *value, size_t size,
               struct fault *fault)
{
    return clint_load(&machine->bare.clint, machine->hart.instret, address, value, size) ||
           fault_set(fault, CAUSE_LOAD_ACCESS, address);
}

bool bare_store(struct machine *machine, uint64_t address, const void *value, size_t size,
                struct fault *fault)
{
    uint64_t word = 0;

    memcpy(&word, value, size);
    machine->attention = true;
    if (clint_overlaps(address, size)) {
        if (!clint_store(&machine->bare.clint, machine->hart.instret, address, value, size))
            return fault_set(fault, CAUSE_STORE_ACCESS, address);
        observe_access(machine, true, address, size, word);
        return true;
    }
    memory_poke(&machine->memory, address, value, size);
    observe_access(machine, true, address, size, word);
    htif_serve(machine);
    return true;
}

/* ---- views: the pages that each mode accesses without a check ---- */

static void refresh_area(struct machine *machine, enum memory_view view, uint64_t base,
                         uint64_t size)
{
    struct memory *memory = &machine->memory;
    unsigned privilege = view == VIEW_USER ? PRIVILEGE_USER : PRIVILEGE_MACHINE;
    uint64_t end = base + size;

    for (uint64_t address = base, last; address < end; address = last + 1) {
        unsigned allowed = pmp_extent(&machine->hart.pmp, privilege, address, &last);
        if (last >= end)
            last = end - 1;
        uint64_t first_page = (address + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS,
                 end_page = (last + 1) >> MEMORY_PAGE_BITS;
        memory_slow(memory, view, first_page, end_page, ~allowed & (PAGE_READ | PAGE_WRITE));
        /* Pages that are only partly in this extent: */
        if (address % MEMORY_PAGE)
            memory_slow(memory, view, first_page - 1, first_page, PAGE_READ | PAGE_WRITE);
        if ((last + 1) % MEMORY_PAGE)
            memory_slow(memory, view, end_page, end_page + 1, PAGE_READ | PAGE_WRITE);
    }
}

static void refresh_views(struct machine *machine)
{
    static const enum floats floats[] = {
        [FLOAT_OFF] = FLOATS_OFF,
        [FLOAT_INITIAL] = FLOATS_WATCHED,
        [FLOAT_CLEAN] = FLOATS_WATCHED,
        [FLOAT_DIRTY] = FLOATS_FREE,
    };
    const struct config *config = &machine->config;
    uint64_t tohost = machine->bare.htif.tohost >> MEMORY_PAGE_BITS;

    for (enum memory_view view = 0; view < VIEWS; view++) {
        refresh_area(machine, view, BARE_RAM_BASE, config->bare_ram);
        refresh_area(machine, view, config->scratchpad_base, config->scratchpad_size);
        if (tohost) {
            unsigned char fast = machine->memory.views[view][tohost];
            memory_slow(&machine->memory, view, tohost, tohost + 1,
                        PAGE_WRITE | (fast & PAGE_READ ? 0 : PAGE_READ));
        }
    }
    machine->code.floats = floats[privilege_float_state(&machine->hart)];
    code_forget(&machine->code);
    machine->views_stale = false;
}

static enum memory_view view_of(unsigned privilege)
{
    return privilege == PRIVILEGE_MACHINE ? VIEW_MACHINE : VIEW_USER;
}

/* ---- start ---- */

bool bare_open(struct machine *machine, struct diag *diag)
{
    if (!ram_open(machine, diag))
        return false;
    clint_init(&machine->bare.clint, machine->config.bare_tick);
    machine->memory.guard = guard;
    machine->memory.guard_context = machine;
    privilege_reset(machine);
    return true;
}

/* ---- traps ---- */

static uint64_t read_time(const struct machine *machine)
{
    return clint_time(&machine->bare.clint, machine->hart.instret);
}

static uint64_t pending(const struct machine *machine)
{
    return clint_pending(&machine->bare.clint, machine->hart.instret);
}

const struct environment bare_environment = {.time = read_time, .pending = pending};

bool bare_take_exception(struct machine *machine)
{
    struct hart *hart = &machine->hart;
    const struct fault *fault = &machine->fault;

    if (!hart->vector_set)
        return false;
    hart->repeated_traps =
        hart->pc == hart->mepc && fault->cause == hart->mcause ? hart->repeated_traps + 1 : 0;
    /* The first instruction of the handler faults, and would do so for ever. */
    if (hart->repeated_traps == REPEATED_TRAPS_LIMIT ||
        (hart->repeated_traps && hart->instret == hart->trap_instret))
        return false;
    hart->trap_instret = hart->instret;
    privilege_enter(machine, false, fault->cause, fault->value);
    return true;
}

static void take_interrupt(struct machine *machine, uint64_t enabled)
{
    /* The priority is that of section 3.1.9: software before timer. */
    unsigned cause = enabled >> INTERRUPT_SOFTWARE & 1 ? INTERRUPT_SOFTWARE : INTERRUPT_TIMER;
    uint64_t pc = machine->hart.pc;
    unsigned privilege = machine->hart.privilege;

    privilege_enter(machine, true, cause, 0);
    observe_interrupt(machine, pc, privilege, cause);
}

/* Ends a wfi by advancing the time to the next timer interrupt. Returns false when none can come.
 */
static bool wait(struct machine *machine)
{
    struct hart *hart = &machine->hart;
    struct clint *clint = &machine->bare.clint;

    machine->waiting = false;
    if (pending(machine) & hart->mie)
        return true;
    if (!(hart->mie >> INTERRUPT_TIMER & 1) || clint->compare == UINT64_MAX)
        return false;
    clint_skip(clint, hart->instret);
    return true;
}

bool bare_prepare(struct machine *machine, uint64_t *slice, bool interrupts)
{
    struct hart *hart = &machine->hart;

    /* While a worker has the turn, only the supervisor waits. */
    if (machine->waiting && !workers_has_hart(machine) && !wait(machine))
        return false;
    if (interrupts && privilege_interruptible(hart)) {
        uint64_t enabled = pending(machine) & hart->mie;
        uint64_t distance = clint_distance(&machine->bare.clint, hart->instret);
        if (enabled)
            take_interrupt(machine, enabled);
        else if (hart->mie >> INTERRUPT_TIMER & 1 && distance < *slice)
            *slice = distance;
    }
    if (machine->views_stale)
        refresh_views(machine);
    machine->memory.fast = machine->memory.views[view_of(privilege_of_data(hart))];
    machine->code.view = view_of(hart->privilege);
    machine->attention = false;
    return true;
}

bool bare_is_stuck(const struct machine *machine)
{
    const struct hart *hart = &machine->hart;
    bool timer = hart->mie >> INTERRUPT_TIMER & 1 && machine->bare.clint.compare != UINT64_MAX;

    return !privilege_interruptible(hart) || !timer;
}
