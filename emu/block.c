#include "emu/block.h"

#include "emu/observe/observe.h"

bool block_permits(const struct machine *machine, enum block_operation operation)
{
    uint64_t enabled = machine->hart.menvcfg;

    if (!machine->bare.active || machine->hart.privilege == PRIVILEGE_MACHINE)
        return true;
    switch (operation) {
    case BLOCK_INVALIDATE:
        return enabled & MENVCFG_CBIE;
    case BLOCK_ZERO:
        return enabled & MENVCFG_CBZE;
    default:
        return enabled & MENVCFG_CBCFE;
    }
}

static bool permits_access(const struct memory *memory, uint64_t block, uint64_t size,
                           enum page_permission access)
{
    struct fault ignored;

    if (!memory->guard)
        return memory_is(memory, block, size, access);
    for (uint64_t offset = 0; offset < size; offset += sizeof(uint64_t))
        if (!memory->guard(memory->guard_context, block + offset, sizeof(uint64_t), access,
                           &ignored))
            return false;
    return true;
}

/* After the check, the stores cannot fault. */
static void zero(struct machine *machine, uint64_t block, uint64_t size, struct fault *fault)
{
    static const uint64_t zeros = 0;

    for (uint64_t at = block; at < block + size; at += sizeof zeros) {
        memory_store(&machine->memory, at, &zeros, sizeof zeros, fault);
        observe_access(machine, true, at, sizeof zeros, 0);
    }
}

bool block_manage(struct machine *machine, enum block_operation operation, uint64_t address,
                  struct fault *fault)
{
    uint64_t size = machine->config.memory_block, block = address & -size;
    bool ok = permits_access(&machine->memory, block, size, PAGE_WRITE) ||
              (operation != BLOCK_ZERO && permits_access(&machine->memory, block, size, PAGE_READ));

    if (!ok)
        fault_set(fault, CAUSE_STORE_ACCESS, address);
    else if (operation == BLOCK_ZERO)
        zero(machine, block, size, fault);
    return ok;
}
