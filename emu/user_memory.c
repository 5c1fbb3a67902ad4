/* The user environment's memory: heap and anonymous mappings. The scratchpad cannot be unmapped,
 * protected or mapped over. */
#include "emu/user_calls.h"
#include <errno.h>

/* Values of Linux's generic ABI. */
enum {
    GUEST_PROT_READ = 1,
    GUEST_PROT_WRITE = 2,
    GUEST_PROT_EXEC = 4,
    GUEST_MAP_FIXED = 0x10,
    GUEST_MAP_ANONYMOUS = 0x20,
    GUEST_MAP_FIXED_NOREPLACE = 0x100000,
};

static uint64_t round_up(uint64_t address)
{
    return (address + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
}

static bool is_free(const struct memory *memory, uint64_t start, uint64_t end)
{
    for (uint64_t page = start >> MEMORY_PAGE_BITS; page < end >> MEMORY_PAGE_BITS; page++)
        if (memory->pages[page])
            return false;
    return true;
}

int64_t user_brk(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    const uint64_t wanted = arguments[0];

    if (wanted < user->break_start || wanted > MEMORY_LIMIT)
        return user->break_now;
    const uint64_t old = round_up(user->break_now), new = round_up(wanted);
    if (new > old) {
        if (!is_free(&machine->memory, old, new) ||
            !memory_map(&machine->memory, old, new - old, PAGE_READ | PAGE_WRITE))
            return user->break_now;
    } else if (new < old) {
        memory_unmap(&machine->memory, new, old - new);
    }
    return user->break_now = wanted;
}

/* Whole pages below MEMORY_LIMIT, outside of the scratchpad? */
static bool is_mappable(const struct machine *machine, uint64_t address, uint64_t length)
{
    const uint64_t base = machine->config.scratchpad_base,
                   end = base + machine->config.scratchpad_size;

    if (address & (MEMORY_PAGE - 1) || length == 0 || length > MEMORY_LIMIT ||
        address > MEMORY_LIMIT - length)
        return false;
    return address + length <= base || address >= end;
}

static unsigned permissions_of(uint64_t protection)
{
    unsigned permissions = 0;

    if (protection & (GUEST_PROT_READ | GUEST_PROT_WRITE | GUEST_PROT_EXEC))
        permissions |= PAGE_READ;
    if (protection & GUEST_PROT_WRITE)
        permissions |= PAGE_WRITE;
    if (protection & GUEST_PROT_EXEC)
        permissions |= PAGE_EXECUTE;
    return permissions;
}

int64_t user_mmap(struct machine *machine, const uint64_t *arguments)
{
    struct memory *memory = &machine->memory;
    const uint64_t flags = arguments[3];
    uint64_t address = arguments[0], length = arguments[1];

    if (length == 0)
        return -EINVAL;
    if (length > MEMORY_LIMIT)
        return -ENOMEM;
    length = round_up(length);
    if (!(flags & GUEST_MAP_ANONYMOUS))
        return -ENODEV;
    if (flags & (GUEST_MAP_FIXED | GUEST_MAP_FIXED_NOREPLACE)) {
        if (!is_mappable(machine, address, length) || address < MEMORY_PAGE)
            return -EINVAL;
        if (!is_free(memory, address, address + length)) {
            if (flags & GUEST_MAP_FIXED_NOREPLACE)
                return -EEXIST;
            memory_unmap(memory, address, length);
        }
    } else {
        address = memory_find_free(memory, machine->user.map_low, machine->user.map_high, length);
        if (!address)
            return -ENOMEM;
    }
    if (!memory_map(memory, address, length, permissions_of(arguments[2])))
        return -ENOMEM;
    return address;
}

int64_t user_munmap(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[1] > MEMORY_LIMIT || !is_mappable(machine, arguments[0], round_up(arguments[1])))
        return -EINVAL;
    memory_unmap(&machine->memory, arguments[0], round_up(arguments[1]));
    return 0;
}

int64_t user_mprotect(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[1] == 0)
        return arguments[0] & (MEMORY_PAGE - 1) ? -EINVAL : 0;
    if (arguments[1] > MEMORY_LIMIT || !is_mappable(machine, arguments[0], round_up(arguments[1])))
        return -EINVAL;
    if (!memory_protect(&machine->memory, arguments[0], round_up(arguments[1]),
                        permissions_of(arguments[2])))
        return -ENOMEM;
    return 0;
}
