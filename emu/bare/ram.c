/* See ram.h. */
#include "emu/bare/ram.h"
#include "emu/bare/clint.h"
#include "emu/machine.h"
#include <inttypes.h>

bool ram_contains(const struct machine *machine, uint64_t address, uint64_t length)
{
    uint64_t size = machine->config.bare_ram;

    return address >= BARE_RAM_BASE && length <= size && address - BARE_RAM_BASE <= size - length;
}

static bool keeps_apart(const struct config *config, uint64_t base, uint64_t size)
{
    return config->scratchpad_base >= base + size ||
           config->scratchpad_base + config->scratchpad_size <= base;
}

bool ram_open(struct machine *machine, struct diag *diag)
{
    const struct config *config = &machine->config;

    if (!keeps_apart(config, CLINT_BASE, CLINT_SIZE) ||
        !keeps_apart(config, BARE_RAM_BASE, config->bare_ram)) {
        diag_error(diag, NULL,
                   "the scratchpad (0x%" PRIx64 " bytes at 0x%" PRIx64
                   ") overlaps the CLINT (0x%" PRIx64 " bytes at 0x%" PRIx64 ") or RAM (0x%" PRIx64
                   " bytes at 0x%" PRIx64 "); move it in the machine file",
                   config->scratchpad_size, config->scratchpad_base, CLINT_SIZE, CLINT_BASE,
                   config->bare_ram, BARE_RAM_BASE);
        return false;
    }
    if (!memory_map(&machine->memory, BARE_RAM_BASE, config->bare_ram,
                    PAGE_READ | PAGE_WRITE | PAGE_EXECUTE))
        BUG("the RAM does not fit in the memory");
    return true;
}
