/* The user environment's memory: heap, anonymous mappings, and private copies of files. The
 * scratchpad cannot be unmapped, protected or mapped over.
 *
 * Everything is below MEMORY_CODE_LIMIT, if it fits there and the program does not ask for another
 * place. Runtimes of some languages reserve more addresses than that, without permissions, and use
 * parts of them; the runtime of GHC only takes addresses from 8 GiB on. */
#include "emu/races/races.h"
#include "emu/user/path.h"
#include <errno.h>

/* Values of Linux's generic ABI. */
enum {
    GUEST_PROT_READ = 1,
    GUEST_PROT_WRITE = 2,
    GUEST_PROT_EXEC = 4,
    GUEST_MAP_SHARED = 1,
    GUEST_MAP_FIXED = 0x10,
    GUEST_MAP_ANONYMOUS = 0x20,
    GUEST_MAP_NORESERVE = 0x4000, /* the program says that it will use a part of it only */
    GUEST_MAP_FIXED_NOREPLACE = 0x100000,
};

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

/* Unmaps pages. What is mapped there later is other memory. */
static void unmap(struct machine *machine, uint64_t address, uint64_t length)
{
    memory_unmap(&machine->memory, address, length);
    races_forget(machine->races, address, length);
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

/* Can the file be mapped with these arguments? A shared mapping that can be written is refused: its
 * stores would have to reach the file. */
static int64_t check_file(const struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, (uint32_t)arguments[4]);

    if (!file)
        return -EBADF;
    if (arguments[5] & (MEMORY_PAGE - 1) || (int64_t)arguments[5] < 0)
        return -EINVAL;
    if (file->flags & GUEST_O_PATH)
        return -EBADF;
    if ((file->flags & GUEST_O_ACCMODE) == GUEST_O_WRONLY)
        return -EACCES;
    if (file->device != DEVICE_ZERO && (!storage_has(file) || file->is_directory))
        return -ENODEV;
    if (arguments[3] & GUEST_MAP_SHARED && arguments[2] & GUEST_PROT_WRITE)
        return -ENODEV;
    return 0;
}

/* May the guest change the file by one of its descriptors? */
static bool is_written(const struct machine *machine, const struct user_file *file)
{
    for (unsigned i = 0; i < USER_FILES; i++) {
        const struct user_file *other = machine->user.files[i];
        if (other && other->host >= 0 && (other->flags & GUEST_O_ACCMODE) != GUEST_O_RDONLY &&
            storage_is_same(file, other))
            return true;
    }
    return false;
}

/* Does a process run from the file of the host? */
static bool is_busy(const struct user_processes *processes, uint64_t device, uint64_t inode)
{
    for (const struct user_process *process = processes->first; process; process = process->next) {
        const struct file_identity *busy = process->machine ? process->machine->user.busy : NULL;
        for (unsigned i = 0; busy && i < USER_BUSY; i++)
            if (busy[i].exists && busy[i].device == device && busy[i].inode == inode)
                return true;
    }
    return false;
}

int64_t user_prepare_change(struct machine *machine, const struct path_walk *walk)
{
    uint64_t device, inode;

    if (!storage_identify(path_directory(walk), path_name(walk), &device, &inode))
        return 0;
    if (is_busy(machine->user.processes, device, inode))
        return -ETXTBSY;
    for (struct user_process *process = machine->user.processes->first; process;
         process = process->next)
        if (process->machine && process->machine->memory.share_count)
            memory_unshare(&process->machine->memory, device, inode);
    return 0;
}

/* Fills whole pages, which can be written, with the contents of the file as they are now. The rest
 * after the end of the file stays zero. A file of the host is read when the guest needs it, so that
 * a program with large libraries starts soon. */
static void fill(struct machine *machine, uint64_t address, uint64_t length,
                 const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, (uint32_t)arguments[4]);
    uint64_t done = 0;
    unsigned char *bytes = memory_range(&machine->memory, address, length, true);

    if (storage_has(file) && !file->node && !is_written(machine, file))
        done = memory_share(&machine->memory, address, length, file->host, arguments[5]);
    while (storage_has(file) && done < length) {
        int64_t got = storage_read(file, bytes + done, length - done, arguments[5] + done);
        if (got <= 0)
            break;
        done += got;
    }
    if (done)
        port_record_write(&machine->port, address, done, bytes);
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
    return memory_find_free(memory, HIGH_PLACES, memory->end, length);
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
    bool good = memory_make_common(memory, address, length);
    if (permissions != first)
        memory_protect(memory, address, length, permissions);
    return good;
}

int64_t user_mmap(struct machine *machine, const uint64_t *arguments)
{
    struct memory *memory = &machine->memory;
    uint64_t flags = arguments[3];
    uint64_t address = arguments[0], length = arguments[1];

    if (length == 0)
        return -EINVAL;
    if (length > MEMORY_LIMIT)
        return -ENOMEM;
    length = round_up(length);
    if (!(flags & GUEST_MAP_ANONYMOUS)) {
        int64_t result = check_file(machine, arguments);
        if (result < 0)
            return result;
    }
    bool is_file = !(flags & GUEST_MAP_ANONYMOUS);
    unsigned permissions = permissions_of(arguments[2]), first = PAGE_READ | PAGE_WRITE,
             both = is_file ? permissions | first : permissions;
    if (flags & (GUEST_MAP_FIXED | GUEST_MAP_FIXED_NOREPLACE)) {
        if (!is_mappable(machine, address, length) || address < MEMORY_PAGE)
            return -EINVAL;
        if (!is_free(memory, address, address + length)) {
            if (flags & GUEST_MAP_FIXED_NOREPLACE)
                return -EEXIST;
            if (!memory_fits(memory, address, length, both))
                return -ENOMEM;
            unmap(machine, address, length);
        }
    } else {
        address = find_place(machine, address, length, permissions);
        if (!address)
            return -ENOMEM;
    }
    if (!memory_fits(memory, address, length, both) ||
        !memory_map(memory, address, length, is_file ? first : permissions))
        return -ENOMEM;
    if (arguments[2] & GUEST_PROT_WRITE && !(flags & GUEST_MAP_NORESERVE))
        memory_expect(memory, address, length);
    if (!is_file && flags & GUEST_MAP_SHARED &&
        !make_common(machine, address, length, permissions)) {
        unmap(machine, address, length);
        return -ENOMEM;
    }
    if (is_file) {
        fill(machine, address, length, arguments);
        if (permissions != first)
            memory_protect(memory, address, length, permissions);
    }
    return address;
}

int64_t user_munmap(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[1] > MEMORY_LIMIT || !is_mappable(machine, arguments[0], round_up(arguments[1])))
        return -EINVAL;
    unmap(machine, arguments[0], round_up(arguments[1]));
    return 0;
}

int64_t user_mprotect(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[1] == 0)
        return arguments[0] & (MEMORY_PAGE - 1) ? -EINVAL : 0;
    if (arguments[1] > MEMORY_LIMIT || !is_mappable(machine, arguments[0], round_up(arguments[1])))
        return -EINVAL;
    uint64_t length = round_up(arguments[1]);
    unsigned permissions = permissions_of(arguments[2]);
    if (permissions & PAGE_EXECUTE && arguments[0] + length > MEMORY_CODE_LIMIT)
        return -EACCES;
    if (!memory_protect(&machine->memory, arguments[0], length, permissions))
        return -ENOMEM;
    return 0;
}

/* Is the whole range mapped? */
static bool is_mapped(const struct machine *machine, uint64_t address, uint64_t length)
{
    return is_mappable(machine, address, length) &&
           memory_is(&machine->memory, address, length, PAGE_MAPPED);
}

/* Is the whole range mapped, with the permissions of its first page? Otherwise these are different
 * mappings for Linux. */
static bool is_one_mapping(const struct machine *machine, uint64_t address, uint64_t length)
{
    const unsigned char *pages = machine->memory.pages;
    uint64_t first = address >> MEMORY_PAGE_BITS, end = (address + length) >> MEMORY_PAGE_BITS;

    if (!is_mapped(machine, address, length))
        return false;
    for (uint64_t page = first; page < end; page++)
        if ((pages[page] ^ pages[first]) & PAGE_ACCESS)
            return false;
    return true;
}

/* Moves a mapping of `old` bytes to the `new` bytes at `to`, which are free. One that is common to
 * processes stays where it is. */
static int64_t move_mapping(struct machine *machine, uint64_t address, uint64_t old, uint64_t to,
                            uint64_t new)
{
    struct memory *memory = &machine->memory;
    unsigned permissions = memory->pages[address >> MEMORY_PAGE_BITS] & PAGE_ACCESS;

    if (!to || memory_is_common(memory, address) || !memory_map(memory, to, new, permissions))
        return -ENOMEM;
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
    unmap(machine, to, new);
    if (new < old) {
        if (is_mappable(machine, address + new, old - new))
            unmap(machine, address + new, old - new);
        old = new;
    }
    return is_one_mapping(machine, address, old) ? move_mapping(machine, address, old, to, new)
                                                 : -EFAULT;
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
    if (new <= old) {
        unmap(machine, address + new, old - new);
        return address;
    }
    if (!is_one_mapping(machine, address, old))
        return -EFAULT;
    unsigned permissions = memory->pages[address >> MEMORY_PAGE_BITS] & PAGE_ACCESS;
    uint64_t high = address < MEMORY_CODE_LIMIT ? machine->user.map_high : memory->end;
    if (address + new <= high && is_free(memory, address + old, address + new) &&
        memory_map(memory, address + old, new - old, permissions)) {
        if (permissions & PAGE_WRITE)
            memory_expect(memory, address + old, new - old);
        return address;
    }
    if (!(flags & MAY_MOVE))
        return -ENOMEM;
    return move_mapping(machine, address, old, find_place(machine, 0, new, permissions), new);
}

int64_t user_madvise(struct machine *machine, const uint64_t *arguments)
{
    enum { DONT_NEED = 4 };
    struct memory *memory = &machine->memory;
    uint64_t address = arguments[0];

    if (address & (MEMORY_PAGE - 1))
        return -EINVAL;
    if (arguments[1] == 0)
        return 0;
    if (arguments[1] > MEMORY_LIMIT || !is_mapped(machine, address, round_up(arguments[1])))
        return -ENOMEM;
    if (arguments[2] != DONT_NEED || memory_is_common(memory, address)) /* that keeps its bytes */
        return 0;
    memory_clear(memory, address, round_up(arguments[1]));
    races_forget(machine->races, address, round_up(arguments[1]));
    return 0;
}

int64_t user_name_memory(struct machine *machine, uint64_t address, uint64_t length)
{
    if (address & (MEMORY_PAGE - 1) || length > MEMORY_LIMIT)
        return -EINVAL;
    return length == 0 || is_mapped(machine, address, round_up(length)) ? 0 : -ENOMEM;
}

/* Mappings of files are copies: nothing has to be written back. */
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

/* mlock, mlock2 and munlock: memory is never paged out. */
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
