/* The user environment's memory: heap, and mappings, those of files with map_file.c. The scratchpad
 * cannot be unmapped, protected or mapped over.
 *
 * Everything is below MEMORY_CODE_LIMIT, if it fits there and the program does not ask for another
 * place. Runtimes of some languages reserve more addresses than that, without permissions, and use
 * parts of them; the runtime of GHC only takes addresses from 8 GiB on. */
#include "emu/races/races.h"
#include "emu/user/path.h"
#include <errno.h>

/* Addresses from here on are given when there are not enough below MEMORY_CODE_LIMIT. */
static const uint64_t HIGH_PLACES = (uint64_t)1 << 33;

static uint64_t round_up(uint64_t address)
{
    return (address + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
}

static bool is_free(const struct memory *memory, uint64_t start, uint64_t end)
{
    return memory_next_mapped(memory, start >> MEMORY_PAGE_BITS, end >> MEMORY_PAGE_BITS) ==
           end >> MEMORY_PAGE_BITS;
}

/* Unmaps pages. What is mapped there later is other memory. Returns false if they cannot be. */
static bool unmap(struct machine *machine, uint64_t address, uint64_t length)
{
    if (!memory_can_unmap(&machine->memory, address, length))
        return false;
    memory_unmap(&machine->memory, address, length);
    races_forget(machine->races, address, length);
    return true;
}

/* The heap has grown. Allocators take small pieces when the program needs them, so a program whose
 * heap is large already will write all of the piece. */
static void expect_heap(const struct machine *machine, uint64_t old, uint64_t new)
{
    enum { LARGE_HEAP = 1 << 20, SMALL_PIECE = 1 << 18 };
    uint64_t heap = new - machine->user.break_start, piece = new - old;

    memory_expect(&machine->memory, old, piece);
    if (heap > LARGE_HEAP && piece <= SMALL_PIECE) {
        memory_populate(&machine->memory, old, piece);
        memory_collapse(&machine->memory, machine->user.break_start, old, new);
    }
}

/* Refuses memory, and says so if the machine could have more. */
static int64_t refuse_memory(struct machine *machine, uint64_t length)
{
    const struct memory *memory = &machine->memory;

    return length > memory->limit - memory->mapped ? user_refuse(machine, REFUSED_MEMORY) : -ENOMEM;
}

int64_t user_brk(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    uint64_t wanted = arguments[0];

    if (wanted < user->break_start || wanted > MEMORY_CODE_LIMIT)
        return user->break_now;
    uint64_t old = round_up(user->break_now), new = round_up(wanted);
    if (new > old) {
        if (!is_free(&machine->memory, old, new) ||
            !memory_map(&machine->memory, old, new - old, PAGE_READ | PAGE_WRITE))
            return user->break_now;
        expect_heap(machine, old, new);
    } else if (new < old) {
        unmap(machine, new, old - new);
    }
    return user->break_now = wanted;
}

/* Is the range made of whole pages of the address space, outside of the scratchpad? */
static bool is_mappable(const struct machine *machine, uint64_t address, uint64_t length)
{
    uint64_t base = machine->config.scratchpad_base, end = base + machine->config.scratchpad_size,
             limit = machine->memory.end;

    if (address & (MEMORY_PAGE - 1) || length == 0 || length > limit || address > limit - length)
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

/* Returns where to map `length` bytes of whole pages: where the program wants them, if that is
 * free, or elsewhere. 0: there is no place. Data that is wanted above MEMORY_CODE_LIMIT goes below
 * it, too: just-in-time compilers make it executable later. */
static uint64_t find_place(const struct machine *machine, uint64_t wanted, uint64_t length,
                           unsigned permissions)
{
    const struct memory *memory = &machine->memory;
    uint64_t low = machine->user.map_low, high = machine->user.map_high, start = round_up(wanted);

    if (start >= low && start <= high && length <= high - start &&
        is_mappable(machine, start, length) && is_free(memory, start, start + length))
        return start;
    uint64_t place = memory_find_free(memory, low, high, length);
    if (place || permissions & PAGE_EXECUTE)
        return place;
    uint64_t end = memory->end < MEMORY_LOW_LIMIT ? memory->end : MEMORY_LOW_LIMIT;
    place = memory_find_free(memory, HIGH_PLACES, end, length);
    return place ? place : memory_find_free(memory, end, memory->end, length);
}

/* The pages, which are new, will be common to the process and those that it makes. Returns false if
 * there can be no more such ranges. */
static bool make_common(struct machine *machine, uint64_t address, uint64_t length,
                        unsigned permissions)
{
    struct memory *memory = &machine->memory;
    unsigned first = PAGE_READ | PAGE_WRITE;

    if (permissions != first)
        memory_protect(memory, address, length, first);
    bool good =
        memory_make_common(memory, address, length, ++machine->user.processes->store.objects);
    if (permissions != first)
        memory_protect(memory, address, length, permissions);
    return good;
}

/* Returns a free place for `length` bytes of whole pages, or a negative error number. What is where
 * the program insists on the place is unmapped. */
static int64_t take_place(struct machine *machine, const uint64_t *arguments, uint64_t length,
                          unsigned permissions)
{
    struct memory *memory = &machine->memory;
    uint64_t address = arguments[0], flags = arguments[3];

    if (!(flags & (GUEST_MAP_FIXED | GUEST_MAP_FIXED_NOREPLACE))) {
        address = find_place(machine, address, length, permissions_of(arguments[2]));
        return address ? (int64_t)address : -ENOMEM;
    }
    if (!is_mappable(machine, address, length) || address < MEMORY_PAGE)
        return -EINVAL;
    if (is_free(memory, address, address + length))
        return (int64_t)address;
    if (flags & GUEST_MAP_FIXED_NOREPLACE)
        return -EEXIST;
    if (!memory_fits(memory, address, length, permissions))
        return refuse_memory(machine, length);
    return unmap(machine, address, length) ? (int64_t)address : -ENOMEM;
}

int64_t user_mmap(struct machine *machine, const uint64_t *arguments)
{
    struct memory *memory = &machine->memory;
    uint64_t flags = arguments[3], length = arguments[1];

    if (length == 0)
        return -EINVAL;
    if (length > MEMORY_LIMIT)
        return -ENOMEM;
    length = round_up(length);
    int64_t kind = !(flags & GUEST_MAP_ANONYMOUS) ? user_check_mapping(machine, arguments)
                   : flags & (GUEST_MAP_SHARED | GUEST_MAP_PRIVATE) ? USER_MAPS_ZEROS
                                                                    : -EINVAL;
    if (kind < 0)
        return kind;
    bool is_copy = kind == USER_MAPS_COPY, is_common = flags & GUEST_MAP_SHARED && !is_copy;
    unsigned permissions = permissions_of(arguments[2]), first = PAGE_READ | PAGE_WRITE,
             both = is_copy ? permissions | first : permissions;
    if (is_common && !user_can_share(machine->user.processes, 1))
        return -ENOMEM;
    int64_t address = take_place(machine, arguments, length, both);
    if (address < 0)
        return address;
    if (!memory_fits(memory, address, length, both) ||
        !memory_map(memory, address, length, is_copy ? first : permissions))
        return refuse_memory(machine, length);
    if (arguments[2] & GUEST_PROT_WRITE && !(flags & GUEST_MAP_NORESERVE))
        memory_expect(memory, address, length);
    if (is_copy)
        user_map_copy(machine, address, length, arguments);
    else if (is_common &&
             !(kind == USER_MAPS_FILE ? user_map_file(machine, address, length, arguments)
                                      : make_common(machine, address, length, permissions))) {
        unmap(machine, address, length);
        return -ENOMEM;
    }
    if (is_copy && permissions != first)
        memory_protect(memory, address, length, permissions);
    return address;
}

int64_t user_munmap(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[1] > MEMORY_LIMIT || !is_mappable(machine, arguments[0], round_up(arguments[1])))
        return -EINVAL;
    return unmap(machine, arguments[0], round_up(arguments[1])) ? 0 : -ENOMEM;
}

int64_t user_mprotect(struct machine *machine, const uint64_t *arguments)
{
    uint64_t known = GUEST_PROT_READ | GUEST_PROT_WRITE | GUEST_PROT_EXEC | GUEST_PROT_SEM;

    if (arguments[2] & ~known)
        return -EINVAL;
    if (arguments[1] == 0)
        return arguments[0] & (MEMORY_PAGE - 1) ? -EINVAL : 0;
    if (arguments[1] > MEMORY_LIMIT || !is_mappable(machine, arguments[0], round_up(arguments[1])))
        return -EINVAL;
    uint64_t length = round_up(arguments[1]);
    unsigned permissions = permissions_of(arguments[2]);
    if ((permissions & PAGE_EXECUTE && arguments[0] + length > MEMORY_CODE_LIMIT) ||
        !memory_allows(&machine->memory, arguments[0], length, permissions))
        return -EACCES;
    return memory_protect(&machine->memory, arguments[0], length, permissions)
               ? 0
               : refuse_memory(machine, length);
}

/* Is the whole range mapped? */
static bool is_mapped(const struct machine *machine, uint64_t address, uint64_t length)
{
    return is_mappable(machine, address, length) &&
           memory_is(&machine->memory, address, length, PAGE_MAPPED);
}

/* Is the whole range mapped, with the permissions of its first page, and in one common range or in
 * none? Otherwise these are different mappings for Linux. */
static bool is_one_mapping(const struct machine *machine, uint64_t address, uint64_t length)
{
    const unsigned char *pages = machine->memory.pages;
    uint64_t first = address >> MEMORY_PAGE_BITS, end = (address + length) >> MEMORY_PAGE_BITS;

    if (!is_mapped(machine, address, length) ||
        memory_common_end(&machine->memory, address, address + length) != address + length)
        return false;
    for (uint64_t page = first; page < end; page++)
        if (memory_permissions(pages[page]) != memory_permissions(pages[first]))
            return false;
    return true;
}

/* Returns the permissions of the mapping. */
static unsigned mapping_permissions(const struct memory *memory, uint64_t address)
{
    return memory_permissions(memory->pages[address >> MEMORY_PAGE_BITS]);
}

/* Moves a mapping of common memory. */
static int64_t move_common(struct machine *machine, uint64_t address, uint64_t old, uint64_t to,
                           uint64_t new)
{
    struct memory *memory = &machine->memory;

    if (!memory_map(memory, to, new, mapping_permissions(memory, address)))
        return -ENOMEM;
    if (memory_map_again(memory, address, 0, to, new) && unmap(machine, address, old))
        return (int64_t)to;
    unmap(machine, to, new);
    return -ENOMEM;
}

/* Moves a mapping of `old` bytes to the `new` bytes at `to`, which are free. */
static int64_t move_mapping(struct machine *machine, uint64_t address, uint64_t old, uint64_t to,
                            uint64_t new)
{
    struct memory *memory = &machine->memory;
    unsigned permissions = mapping_permissions(memory, address);

    if (to && memory_find_common(memory, address))
        return move_common(machine, address, old, to, new);
    if (!to || !memory_map(memory, to, new, permissions))
        return refuse_memory(machine, new);
    if (permissions & PAGE_WRITE)
        memory_expect(memory, to, new);
    if (!(permissions & PAGE_READ))
        memory_end_mirror(memory);
    memory_poke(memory, to, memory_peek(memory, address, old), old);
    port_record_write(&machine->port, to, old, memory_peek(memory, to, old));
    unmap(machine, address, old);
    return to;
}

/* Moves a mapping to the place that the program names, in place of what is there. As on Linux, that
 * and the rest of a mapping that gets shorter are gone even if the call fails after that. */
static int64_t move_to(struct machine *machine, uint64_t address, uint64_t old, uint64_t to,
                       uint64_t new)
{
    if (!is_mapped(machine, address, MEMORY_PAGE))
        return -EFAULT;
    if (!is_mappable(machine, to, new) || to < MEMORY_PAGE ||
        (address + old > to && to + new > address))
        return -EINVAL;
    if (!unmap(machine, to, new))
        return -ENOMEM;
    if (new < old) {
        if (is_mappable(machine, address + new, old - new) &&
            !unmap(machine, address + new, old - new))
            return -ENOMEM;
        old = new;
    }
    return is_one_mapping(machine, address, old) ? move_mapping(machine, address, old, to, new)
                                                 : -EFAULT;
}

/* Maps `more` bytes, which are free, after the `old` bytes of a mapping. */
static bool extend_mapping(struct machine *machine, uint64_t address, uint64_t old, uint64_t more,
                           unsigned permissions)
{
    struct memory *memory = &machine->memory;

    if (!memory_map(memory, address + old, more, permissions))
        return false;
    if (memory_find_common(memory, address) &&
        !memory_map_again(memory, address, old, address + old, more)) {
        unmap(machine, address + old, more);
        return false;
    }
    if (permissions & PAGE_WRITE)
        memory_expect(memory, address + old, more);
    return true;
}

int64_t user_mremap(struct machine *machine, const uint64_t *arguments)
{
    enum { MAY_MOVE = 1, FIXED = 2 };
    struct memory *memory = &machine->memory;
    uint64_t address = arguments[0], flags = arguments[3];

    if (arguments[1] == 0 || arguments[2] == 0 || flags & ~(uint64_t)(MAY_MOVE | FIXED) ||
        flags == FIXED || address & (MEMORY_PAGE - 1))
        return -EINVAL;
    if (arguments[1] > MEMORY_LIMIT || arguments[2] > MEMORY_LIMIT)
        return -ENOMEM;
    uint64_t old = round_up(arguments[1]), new = round_up(arguments[2]);
    if (flags & FIXED)
        return move_to(machine, address, old, arguments[4], new);
    if (!is_mapped(machine, address, old))
        return -EFAULT;
    if (new <= old)
        return unmap(machine, address + new, old - new) ? (int64_t)address : -ENOMEM;
    if (!is_one_mapping(machine, address, old))
        return -EFAULT;
    unsigned permissions = mapping_permissions(memory, address);
    uint64_t high = address < MEMORY_CODE_LIMIT ? machine->user.map_high : memory->end;
    if (address + new <= high && is_free(memory, address + old, address + new) &&
        extend_mapping(machine, address, old, new - old, permissions))
        return address;
    if (!(flags & MAY_MOVE))
        return -ENOMEM;
    return move_mapping(machine, address, old, find_place(machine, 0, new, permissions), new);
}

/* Is it advice that can be followed or ignored? What would change what the program sees is refused:
 * MADV_REMOVE, MADV_WIPEONFORK, and what poisons pages. */
static bool is_advice(uint32_t advice)
{
    uint32_t known = 0x1f       /* NORMAL to DONTNEED */
                     | 1 << 8   /* FREE */
                     | 3 << 10  /* DONTFORK, DOFORK */
                     | 63 << 12 /* MERGEABLE, HUGEPAGE, DONTDUMP and their opposites */
                     | 1 << 19  /* KEEPONFORK */
                     | 63 << 20 /* COLD to COLLAPSE */;

    return advice < 32 && known >> advice & 1;
}

/* Fills mapped pages with zeros, but those of common memory, which keep their bytes. */
static void clear_pages(struct machine *machine, uint64_t address, uint64_t end)
{
    struct memory *memory = &machine->memory;

    for (uint64_t next; address < end; address = next) {
        next = memory_common_end(memory, address, end);
        if (memory_find_common(memory, address))
            continue;
        memory_clear(memory, address, next - address);
        races_forget(machine->races, address, next - address);
    }
}

int64_t user_madvise(struct machine *machine, const uint64_t *arguments)
{
    enum { DONT_NEED = 4, DONT_NEED_LOCKED = 24 };
    uint64_t address = arguments[0], end = address + round_up(arguments[1]);
    uint32_t advice = (uint32_t)arguments[2];
    bool clears = advice == DONT_NEED || advice == DONT_NEED_LOCKED;

    if (!is_advice(advice) || address & (MEMORY_PAGE - 1) || end < address ||
        (arguments[1] && end == address))
        return -EINVAL;
    if (arguments[1] == 0)
        return 0;
    if (end > machine->memory.end)
        return -ENOMEM;
    if (is_mapped(machine, address, end - address)) {
        if (clears)
            clear_pages(machine, address, end);
        return 0;
    }
    for (; clears && address < end; address += MEMORY_PAGE) /* as in Linux, around the holes */
        if (is_mapped(machine, address, MEMORY_PAGE))
            clear_pages(machine, address, address + MEMORY_PAGE);
    return -ENOMEM;
}

int64_t user_name_memory(struct machine *machine, uint64_t address, uint64_t length)
{
    if (address & (MEMORY_PAGE - 1) || length > MEMORY_LIMIT)
        return -EINVAL;
    return length == 0 || is_mapped(machine, address, round_up(length)) ? 0 : -ENOMEM;
}

/* Mappings of files are copies, or the files themselves: nothing has to be written back. */
int64_t user_msync(struct machine *machine, const uint64_t *arguments)
{
    enum { ASYNCHRONOUS = 1, INVALIDATE = 2, SYNCHRONOUS = 4 };
    uint64_t flags = (uint32_t)arguments[2], both = ASYNCHRONOUS | SYNCHRONOUS;

    if (flags & ~(both | INVALIDATE) || (flags & both) == both || arguments[0] & (MEMORY_PAGE - 1))
        return -EINVAL;
    if (arguments[1] == 0)
        return 0;
    return arguments[1] <= MEMORY_LIMIT && is_mapped(machine, arguments[0], round_up(arguments[1]))
               ? 0
               : -ENOMEM;
}

/* mlock and munlock: memory is never paged out. */
int64_t user_mlock(struct machine *machine, const uint64_t *arguments)
{
    uint64_t start = arguments[0] & ~(MEMORY_PAGE - 1);

    if (arguments[1] == 0)
        return 0;
    if (arguments[1] > MEMORY_LIMIT || arguments[0] > MEMORY_LIMIT)
        return -ENOMEM;
    return memory_is(&machine->memory, start, round_up(arguments[0] + arguments[1]) - start,
                     PAGE_MAPPED)
               ? 0
               : -ENOMEM;
}

int64_t user_mlock2(struct machine *machine, const uint64_t *arguments)
{
    enum { ON_FAULT = 1 };

    return arguments[2] & ~(uint64_t)ON_FAULT ? -EINVAL : user_mlock(machine, arguments);
}

int64_t user_mlockall(struct machine *machine, const uint64_t *arguments)
{
    enum { CURRENT = 1, FUTURE = 2, ON_FAULT = 4 };
    uint64_t both = CURRENT | FUTURE;

    (void)machine;
    return arguments[0] & ~(both | ON_FAULT) || !(arguments[0] & both) ? -EINVAL : 0;
}
